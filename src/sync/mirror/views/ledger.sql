-- What counts: every settled transaction that is still there, or whose account is gone, joined with account, institution and
-- Client. Of an account that another continues after a re-link, only what the other does not have.
SELECT
  t.account_id,
  t.id,
  t.client_id,
  c.external_id AS client_external_id,
  c.name AS client_name,
  n.institution_id,
  i.name AS institution_name,
  a.connection_id,
  a.name AS account_name,
  a.type AS account_type,
  a.mask AS account_mask,
  a.gone_at AS account_gone_at,
  t.date,
  t.amount,
  t.amount_minor,
  t.amount_exponent,
  t.iso_currency_code,
  t.description,
  t.merchant_name,
  t.category,
  t.external_id,
  t.first_seen_at,
  t.changed_at
FROM transactions AS t
JOIN accounts AS a ON a.id = t.account_id
LEFT JOIN clients AS c ON c.id = t.client_id
LEFT JOIN connections AS n ON n.id = a.connection_id
LEFT JOIN institutions AS i ON i.id = n.institution_id
WHERE NOT CAST(t.pending AS boolean)
  AND t.gone_at IS NULL
  AND NOT EXISTS (
    SELECT 1
    FROM account_lineage AS l
    WHERE l.old_account_id = t.account_id
      AND t.date >= l.since
      AND CASE
        -- A person says that the other continues it: what the other covers is counted there.
        WHEN l.decision = 'confirmed' THEN t.date <= (
          SELECT max(n.date)
          FROM transactions AS n
          WHERE n.account_id = l.new_account_id
            AND NOT CAST(n.pending AS boolean)
            AND n.gone_at IS NULL
        )
        -- Equal one to one: the same charge has to be there, the second of a day a second time.
        WHEN l.match = 'exact' AND l.decision IS NULL THEN (
          SELECT count(*)
          FROM transactions AS o
          WHERE o.account_id = t.account_id
            AND o.date = t.date
            AND o.amount_minor = t.amount_minor
            AND o.amount_exponent = t.amount_exponent
            AND NOT CAST(o.pending AS boolean)
            AND o.gone_at IS NULL
            AND o.id <= t.id
        ) <= (
          SELECT count(*)
          FROM transactions AS n
          WHERE n.account_id = l.new_account_id
            AND n.date = t.date
            AND n.amount_minor = t.amount_minor
            AND n.amount_exponent = t.amount_exponent
            AND NOT CAST(n.pending AS boolean)
            AND n.gone_at IS NULL
        )
        ELSE false
      END
  );

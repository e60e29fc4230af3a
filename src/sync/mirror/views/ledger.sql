-- What counts: every settled transaction that is still there, or whose account is gone, joined with account, institution and
-- Client. Of an account that another continues after a re-link, only what is older than its successor.
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
      AND (l.decision = 'confirmed' OR (l.match = 'exact' AND l.decision IS NULL))
      AND t.date >= l.since
  );

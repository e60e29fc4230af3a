-- Charges that the bank holds and has not settled: provisional in amount and text.
SELECT
  t.account_id,
  t.id,
  t.client_id,
  c.external_id AS client_external_id,
  a.name AS account_name,
  t.date,
  t.amount,
  t.amount_minor,
  t.amount_exponent,
  t.iso_currency_code,
  t.description,
  t.merchant_name,
  t.category,
  t.first_seen_at,
  t.changed_at
FROM transactions AS t
JOIN accounts AS a ON a.id = t.account_id
LEFT JOIN clients AS c ON c.id = t.client_id
WHERE CAST(t.pending AS boolean)
  AND t.gone_at IS NULL
  AND a.gone_at IS NULL;

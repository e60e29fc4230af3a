-- Money in and out per account and month, of the ledger.
-- month (text): YYYY-MM
-- money_in_minor (integer): What came in, in units of 10^-amount_exponent
-- money_out_minor (integer): What went out: zero or negative
-- net_minor (integer): Their sum
-- transactions (integer): How many there are
SELECT
  account_id,
  client_id,
  client_external_id,
  account_name,
  substr(CAST(date AS text), 1, 7) AS month,
  iso_currency_code,
  amount_exponent,
  CAST(sum(CASE WHEN amount_minor > 0 THEN amount_minor ELSE 0 END) AS bigint) AS money_in_minor,
  CAST(sum(CASE WHEN amount_minor < 0 THEN amount_minor ELSE 0 END) AS bigint) AS money_out_minor,
  CAST(sum(amount_minor) AS bigint) AS net_minor,
  count(*) AS transactions
FROM ledger
GROUP BY
  account_id, client_id, client_external_id, account_name, substr(CAST(date AS text), 1, 7),
  iso_currency_code, amount_exponent;

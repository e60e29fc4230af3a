-- The last balance that was seen on each day on which one changed.
-- day (date): The day, in UTC
SELECT
  b.account_id,
  b.client_id,
  b.day,
  b.iso_currency_code,
  b.current_balance,
  b.current_balance_minor,
  b.available_balance,
  b.available_balance_minor,
  b.amount_exponent
FROM (
  SELECT
    account_balances.*,
    substr(changed_at, 1, 10) AS day, -- sqlite
    CAST(changed_at AT TIME ZONE 'UTC' AS date) AS day, -- postgres
    row_number() OVER (
      PARTITION BY account_id, substr(changed_at, 1, 10) -- sqlite
      PARTITION BY account_id, CAST(changed_at AT TIME ZONE 'UTC' AS date) -- postgres
      ORDER BY changed_at DESC
    ) AS place
  FROM account_balances
) AS b
WHERE b.place = 1;

-- Connections that need somebody, with the time of the last change of their status or error.
-- since (time): When its status or error last changed
SELECT
  n.id,
  n.client_id,
  c.external_id AS client_external_id,
  c.name AS client_name,
  c.email AS client_email,
  n.institution_id,
  i.name AS institution_name,
  n.source,
  n.status,
  n.last_error_code,
  n.last_refreshed_at,
  (SELECT max(e.changed_at) FROM connection_events AS e WHERE e.connection_id = n.id) AS since
FROM connections AS n
LEFT JOIN clients AS c ON c.id = n.client_id
LEFT JOIN institutions AS i ON i.id = n.institution_id
WHERE n.gone_at IS NULL
  AND n.status <> 'active';

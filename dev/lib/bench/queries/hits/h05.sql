SELECT min(event_date) AS first_day, max(event_date) AS last_day FROM hits

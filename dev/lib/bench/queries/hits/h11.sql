SELECT search_engine_id, search_phrase, count(*) AS views
FROM hits
WHERE search_phrase <> ''
GROUP BY search_engine_id, search_phrase
ORDER BY views DESC, search_engine_id, search_phrase
LIMIT 10

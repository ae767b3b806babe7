# sqlite3, zipfile, gzip, pickle
import gzip, io, pickle, sqlite3, zipfile
db = sqlite3.connect("data.db")
db.execute("create table t (x)")
db.executemany("insert into t values (?)", [(i,) for i in range(3)])
print(db.execute("select sum(x) from t").fetchone())
with zipfile.ZipFile("a.zip", "w") as z:
    z.writestr("x", "y")
print(zipfile.ZipFile("a.zip").namelist(), gzip.decompress(gzip.compress(b"z")))
print(pickle.loads(pickle.dumps({"a": print})) == {"a": print})

"""What code does to frames, and all that can be seen of it. Runs have it as part of their code."""

from __future__ import annotations

import contextlib
import hashlib
import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

# Of more, the values are described as those of one array.
_MAX_COLUMNS = 100

CHANGES = """
df.loc[0, 'i'] = 7
df.loc[df['i'] > 5, 'f'] = 0.5
df.loc[3:9, ['i', 'j']] = -1
df.loc[len(df)] = df.iloc[0]
df.iloc[0, 0] = 9
df.iloc[:, 1] = 2
df.iloc[2:5] = df.iloc[6:9].to_numpy()
df.at[1, 'f'] = 3.25
df.iat[1, 2] = 4.5
df['i'] = 0
df['i'] += 1
df['f'] *= df['g']
df[['i', 'j']] = df[['j', 'i']].to_numpy()
df[df['b']] = df[~df['b']].iloc[0]
df['new'] = df['i'] + df['f']
df.insert(0, 'first', df['j'])
df.pop('i')
del df['f']
df['i'].iloc[0] = 5
df['i'][0] = 5
df['f'].fillna(0, inplace=True)
df.fillna({'f': 0, 's': ''}, inplace=True)
df.replace(3, 4, inplace=True)
df['i'].replace({1: 100}, inplace=True)
df.clip(lower={'i': 5, 'f': 1.5}, axis=1)
df['f'].clip(0, 1, inplace=True)
df['f'].where(df['f'] > 1, -1, inplace=True)
df['f'].mask(df['f'] > 1, -1, inplace=True)
df['f'].interpolate(inplace=True)
df['f'].ffill(inplace=True)
df.update(pd.DataFrame({'i': [50, 60]}))
df.sort_values(['j', 'i'], inplace=True)
df.sort_index(ascending=False, inplace=True)
df.drop_duplicates('j', inplace=True)
df.dropna(inplace=True)
df.drop(columns=['t', 'z'], inplace=True)
df.rename(columns={'i': 'k'}, inplace=True)
df.reset_index(inplace=True)
df.set_index('j', inplace=True)
df.eval('k = i + j', inplace=True)
df.query('i > 10', inplace=True)
df.loc[0, 't'] = pd.Timestamp('2020-01-01')
df['t'] += pd.Timedelta(days=1)
df.loc[0, 'z'] = df.loc[1, 'z']
df.loc[0, 'd'] = pd.Timedelta(0)
df.loc[0, 'c'] = 'y'
df['c'] = df['c'].cat.add_categories(['new'])
df.loc[0, 's'] = 'changed'
df['s'] = df['s'].str.upper()
df.loc[0, 'i'] = 'text'
df['i'].to_numpy()[0] = 5
df['i'].values[0] = 5
np.asarray(df['i'])[0] = 5
df['i'].array[0] = 5
df['t'].array[0] = df['t'].array[1]
df['i'].to_numpy(copy=True)[0] = 5
df.shift(1)
x = df['i']; x.iloc[0] = 9
x = df[['i', 'f']]; x.loc[0, 'i'] = 9
x = df.copy(); x.loc[0, 'i'] = 9
x = df.copy(deep=False); x.loc[0, 'i'] = 9; df.loc[1, 'i'] = 8
x = df; df = df.head(10); x.loc[0, 'i'] = 3; df.loc[1, 'f'] = 2
x = df['i']; del df; x.iloc[0] = 9; df = x.to_frame()
x = df.to_dict('series')['i']; x.iloc[0] = 4
x = df.set_index('i', drop=False); x.loc[0, 'j'] = 1
x = df.T; x.iloc[0, 0] = 5
for column in df.columns: df.loc[0, column] = df.loc[1, column]
with pd.option_context('mode.copy_on_write', True): df.loc[0, 'i'] = 1
""".strip().splitlines()

READS = """
df.describe(include='all')
df.groupby('j').agg({'i': 'sum', 'f': ['mean', 'std', 'min'], 'g': 'median'})
df.groupby('c', observed=False)['f'].transform('mean')
df.groupby('s')[['i', 'f']].apply(lambda part: part.sum())
df.groupby('b')['i'].rank()
df.groupby('j')['f'].cumsum()
df.groupby('j')['i'].nunique()
df.groupby(['j', 'c'], observed=True).size()
df.groupby('j')['t'].max()
df.groupby('j')['f'].quantile([.1, .9])
df.groupby('j').first()
df.groupby('j')['i'].shift()
df.pivot_table(index='j', columns='c', values='f', aggfunc='mean', observed=False)
df.merge(df.head(50), on='i', how='left')
df.merge(df.head(50)[['j', 'g']], on='j').sort_values(['i', 'g_y'])
pd.merge_asof(df.sort_values('i'), df.head(9)[['i', 'g']].sort_values('i'), on='i')
df.join(df.head(9), rsuffix='_other')
pd.concat([df, df]).reset_index(drop=True)
df.sort_values('f')
df.nlargest(5, 'f')
df['f'].rank(method='dense')
df['f'].rolling(7).mean()
df['f'].rolling(7).quantile(.5)
df['f'].rolling(7).apply(np.sum, raw=True)
df['f'].expanding().std()
df['g'].ewm(alpha=.5).mean()
df.set_index('t')['f'].resample('D').sum()
df['f'].diff()
df['i'].cumprod()
df['f'].quantile([.1, .5, .9])
pd.cut(df['f'], 5)
pd.qcut(df['g'], 4)
df['i'].value_counts()
df['i'].isin([1, 2, 3])
df['i'].map({1: 'one'})
df['i'].unique()
df['i'].factorize()
df['i'].duplicated()
df['i'].searchsorted([3, 5])
df['i'].between(2, 9)
df['i'].mode()
df[['i', 'j', 'f', 'g']].corr()
df[['i', 'j', 'f', 'g']].cov()
df[['i', 'j']].to_numpy()
df[['i', 'f']].values
df.values
df.to_numpy()
df.to_dict('records')[:3]
df.to_records()[:3]
df.to_json()
df.to_csv()
df.sum(numeric_only=True)
df[['i', 'f']].sum(axis=1)
df[['i', 'f']].apply(np.sqrt)
df.apply(lambda row: row['i'], axis=1)
df.iterrows().__next__()[1]
list(df.itertuples())[:2]
df.sample(5, random_state=1)
df.explode('s')
df.melt(id_vars='i', value_vars=['f', 'g'])
df[['i', 'f']].stack()
df.isna().sum()
df.dtypes
df.memory_usage(deep=True)
df.select_dtypes('number')
df.select_dtypes('int64').iloc[5]
df.select_dtypes('int64').T
df.select_dtypes('int64').idxmax(axis=1)
df.select_dtypes('int64').apply(lambda row: row['j'], axis=1)
df.select_dtypes('int64').to_numpy().T.flags.c_contiguous
df.astype({'i': 'float64', 'f': 'str'})
df.convert_dtypes()
df['t'].dt.month
df['z'].dt.tz_convert('UTC')
df['d'].dt.total_seconds()
df['s'].str.len()
df['s'].str.split('1', expand=True)
pd.get_dummies(df['c'])
pd.factorize(df['s'])
pd.to_numeric(df['i'])
pd.crosstab(df['j'], df['c'])
df.reindex([5, 3, 99_999])
df.take([3, 1])
df.align(df.head(3))[1]
df.equals(df.copy())
df.compare(df.assign(i=df['i'] * 2))
np.linalg.norm(df[['f', 'g']].fillna(0))
np.sort(df['i'])
np.add.at(np.zeros(10), df['j'], df['g'])
pd.util.hash_pandas_object(df)
df.info()
df
""".strip().splitlines()


def sample(rows: int, columns: int = 0, dtypes: str = "q") -> pd.DataFrame:
    """Return a frame with the columns that changes and reads name.

    Args:
        rows: how many it has.
        columns: how many columns of numbers it has besides.
        dtypes: those of these columns, in turn.
    """
    random = np.random.default_rng(3)
    floats = random.normal(size=rows).round(3)
    floats[::13] = np.nan
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(np.arange(rows) % 900, unit="h")
    frame = pd.DataFrame(
        {
            "i": np.arange(rows) % 977,
            "j": random.integers(0, 9, rows),
            "f": floats,
            "g": random.random(rows),
            "b": random.random(rows) > 0.5,
            "s": [None if n % 11 == 0 else f"s{n % 17}" for n in range(rows)],
            "t": days,
            "z": days.tz_localize("Asia/Tokyo"),
            "d": pd.to_timedelta(np.arange(rows) % 50, unit="s"),
            "c": pd.Categorical(random.choice(["x", "y", "w"], rows)),
            "h": random.random(rows).astype("float32"),
        }
    )
    more = {
        f"n{number}": random.integers(0, 99, rows).astype(dtypes[number % len(dtypes)])
        for number in range(columns)
    }
    return pd.concat([frame, pd.DataFrame(more)], axis=1) if more else frame


def is_in_a_file(array: np.ndarray) -> bool:
    """Return whether its memory is a mapping of the stored frame."""
    address = array.ctypes.data
    for line in Path("/proc/self/maps").read_text().splitlines():
        begin, end = (int(part, 16) for part in line.split()[0].split("-"))
        if begin <= address < end:
            return line.endswith("/frame.arrow")
    return False


def outcome(code: str, frame: pd.DataFrame) -> list[str]:
    """Return what the code returns, prints, warns of and raises, and the frame after it."""
    names: dict[str, Any] = {"pd": pd, "np": np, "df": frame}
    shown = []
    with (
        warnings.catch_warnings(record=True) as warned,
        contextlib.redirect_stdout(io.StringIO()) as printed,
    ):
        warnings.simplefilter("always")
        try:
            try:
                compiled = compile(code, "main.py", "eval")
            except SyntaxError:
                exec(code, names)
            else:
                shown.append(described(eval(compiled, names)))
        except Exception as error:
            shown.append(f"{type(error).__name__}: {error}")
    shown += [f"{one.category.__name__}: {one.message}" for one in warned]
    return [*shown, printed.getvalue(), described(names.get("x")), described(names["df"])]


def described(value: Any) -> str:
    """Return all that can be seen of a value."""
    if isinstance(value, pd.DataFrame):
        if value.shape[1] > _MAX_COLUMNS:
            return f"{value.columns!r} {described(value.index)} {value.to_numpy().tolist()}"
        columns = [_described_array(value.iloc[:, n].array) for n in range(value.shape[1])]
        return f"{value.columns!r} {described(value.index)} {columns}"
    if isinstance(value, pd.Series):
        return f"{value.name!r} {described(value.index)} {_described_array(value.array)}"
    if isinstance(value, pd.Index):
        return f"{value!r} {_described_array(value.array)}"
    if isinstance(value, np.ndarray):
        # Of several columns it is a copy here, and may be a view that is read-only elsewhere.
        writeable = value.flags.writeable if value.ndim == 1 else None
        return f"{value.dtype} {writeable} {value.tolist()}"
    if isinstance(value, tuple):
        return str([described(one) for one in value])
    return repr(value)


def _described_array(array: Any) -> str:
    """Return the dtype and the values; of numbers and times, a digest and the first five."""
    if isinstance(array.dtype, pd.CategoricalDtype):
        codes = _described_array(pd.arrays.NumpyExtensionArray(array.codes))
        return f"{array.dtype!r} {described(array.categories)} {codes}"
    values = _raw_values(array)
    if values is None:
        return f"{array.dtype!r} {array.tolist()}"
    digest = hashlib.sha256(values.tobytes()).hexdigest()
    return f"{array.dtype!r} {array[:5].tolist()} {digest}"


def _raw_values(array: Any) -> np.ndarray | None:
    """Return numbers, and times as integers, so that equal ones have equal bytes; else None."""
    if isinstance(array, (pd.arrays.DatetimeArray, pd.arrays.TimedeltaArray)):
        return np.asarray(array.view("int64"))
    # The dtype does not tell: that of such an array is not an np.dtype.
    if not isinstance(array, pd.arrays.NumpyExtensionArray):
        return None
    values = array.to_numpy()
    if values.dtype.kind == "f":
        # NaN has more than one bit pattern.
        return np.where(np.isnan(values), np.nan, values)
    return values if values.dtype.kind in "iub" else None

# A module that the script writes and imports
with open("helper.py", "w") as file:
    file.write("import pandas as pd\ndef total(df):\n    return df['a'].sum() + oops\n")
import helper
import pandas as pd
helper.total(pd.DataFrame({"a": [1]}))

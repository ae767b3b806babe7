# argparse, which exits with 2
import argparse
parser = argparse.ArgumentParser(prog="report")
parser.add_argument("--month", required=True)
parser.parse_args([])

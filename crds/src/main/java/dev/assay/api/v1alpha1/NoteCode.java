package dev.assay.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonEnumDefaultValue;
import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What a note on a dataset or a column is about, the most severe first.
 *
 * <p>The comments here become the table in {@code docs/datasets.md}: the first sentence is the
 * meaning, the others are what to do. The runner's {@code notes.py} has the same list.
 */
public enum NoteCode {
  /**
   * Lines that {@code on_bad_lines} left out. Correct the lines, or load the file without the
   * option, which names the first of them as an error.
   */
  LinesLeftOut,
  /**
   * Numbers that a double does not hold: of more than 17 significant digits, or too small. Use the
   * {@code dtype} {@code str} where each digit counts.
   */
  Rounded,
  /**
   * Texts such as {@code NA} that were read as missing, in a column of short texts, and cells of a
   * workbook with an error. Where they are values, use {@code keep_default_na} with {@code false},
   * which CSV and TSV have.
   */
  MissingText,
  /**
   * Formulas of a workbook whose values were not stored, so that they are missing. Open the
   * workbook in a spreadsheet program and save it.
   */
  FormulaWithoutValue,
  /**
   * {@code parse_dates} could not be done, so that the column is text. Give {@code date_format}, or
   * correct the first row that the note names.
   */
  DatesNotParsed,
  /**
   * Dates that are valid as day/month and as month/day. Say which with {@code dayfirst} or {@code
   * date_format}, which CSV and TSV have; convert the column in code elsewhere.
   */
  AmbiguousDates,
  /**
   * Texts among numbers, dates or other values, so that the column is text. Name the texts that
   * mean missing in {@code na_values}, or leave out rows of totals.
   */
  MixedValues,
  /**
   * Digits with a zero or a plus in front, so that the column is text. Give the column a {@code
   * dtype} if they are numbers.
   */
  LeadingZeros,
  /**
   * Texts such as {@code 1E5}, which need not be numbers, so that the column is text. Give the
   * column a {@code dtype} if they are numbers.
   */
  Exponents,
  /**
   * Whole numbers of more than 64 bits, or numbers too large for a double, so that the column is
   * text. Give the column the {@code dtype} {@code float64} if rounded numbers are enough.
   */
  Beyond64Bits,
  /**
   * Whole numbers beyond 2^53 with gaps, which {@code df} has as {@code Int64} or {@code UInt64}.
   * Nothing is lost; fill the gaps before the values go to a library without such types.
   */
  NullableIntegers,
  /**
   * Texts that look like numbers in another notation, such as {@code 1.234,50}. Give {@code
   * decimal} and {@code thousands} together.
   */
  OtherNumbers,
  /**
   * Merged cells of a workbook, of which only the first has the value. Fill the others, in the
   * workbook or in code.
   */
  MergedCells,
  /**
   * A name with a space at an end, or that differs from another in case only. Quote it as the note
   * shows it, or give {@code names}.
   */
  SimilarNames,
  /** The first row may belong to the header. Give {@code header} or {@code skiprows}. */
  HeaderLines,
  /**
   * The separator that was read from the line {@code sep=}, one that each row ends in, or one that
   * the only column seems to have. Give {@code sep} if it is another.
   */
  OtherSeparator,
  /** The source looks like another format. Give {@code format}. */
  OtherFormat,
  /**
   * The list within an object that was read. Load another list as {@code records} if that is meant.
   */
  RecordsFrom,
  /**
   * The other sheets of a workbook, or that the sheet is empty. Give {@code sheet_name} to read
   * another.
   */
  Sheets,
  /**
   * Anything else about how the source was read, such as its encoding, a name that an object has
   * twice, or features of a workbook that are not read. The message says what.
   */
  ReaderWarning,

  /** A value of a newer version. */
  @JsonEnumDefaultValue
  @JsonIgnore
  Unknown
}

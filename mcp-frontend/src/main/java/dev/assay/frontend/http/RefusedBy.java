package dev.assay.frontend.http;

/** The limits of this endpoint that refuse a request with the status 429. */
enum RefusedBy {
  /** Requests of a caller in a second. */
  REQUEST_RATE,
  /** Requests of an address without a valid key in a second. */
  UNAUTHORIZED_RATE,
  /** Requests of a caller in progress. */
  REQUESTS_IN_PROGRESS,
  /** Bodies in transit. */
  BODIES,
  /** Memory of requests. */
  REQUEST_MEMORY,
  /** Lasting calls, outputs and loads in progress. */
  SLOTS,
  /** Memory of replies to quick requests. */
  REPLY_MEMORY
}

/** What the server asks of whoever knows tokens. */
@NullMarked
package dev.assay.local.api.authentication;

import org.jspecify.annotations.NullMarked;

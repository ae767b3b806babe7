package dev.assay.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * A scenario that is run once more where the classes of the chart have warm pools, since it is
 * about what code finds in its Pod. Its runs have to be given warm Pods then: see {@link
 * WarmCalls}.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("warm")
@interface Warm {}

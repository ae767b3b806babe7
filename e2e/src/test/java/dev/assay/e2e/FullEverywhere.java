package dev.assay.e2e;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** A long-running scenario: on a cluster, and in local mode with {@code -Pfull}. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Tag("full")
@Tag("local")
@Tag("slow")
@ExtendWith(AssayExtension.class)
@interface FullEverywhere {}

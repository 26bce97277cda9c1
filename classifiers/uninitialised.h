/* uninitialised.h - for working memory that is written before it is read.
 *
 * The compiler is told to fill with zeros whatever has no value. For kilobytes in a function that looks at one
 * sentence, that takes longer than the look. */
#ifndef FILTERD_CLASSIFIERS_UNINITIALISED_H
#define FILTERD_CLASSIFIERS_UNINITIALISED_H

#if defined(__has_attribute) && __has_attribute(uninitialized)
#define LEFT_AS_IT_IS __attribute__((uninitialized))
#else
#define LEFT_AS_IT_IS
#endif

#endif

// Package detector tells tests whether they run under the race detector, which takes memory of its own, beyond the
// bounds that some tests are about. Their packages run without it, too: see inBothWays of the test suite.
package detector

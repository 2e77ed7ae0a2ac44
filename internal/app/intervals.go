package app

import "time"

// Pauses are how long the engine waits before it does again what no event calls
// for. Those that are 0 are the usual ones; a test that has to see the end of one
// makes it short.
type Pauses struct {
	// Redial is the longest between two probes of a cluster that does not
	// answer, the hub apart; five minutes when 0.
	Redial time.Duration
	// Refused is before objects are listed again that a cluster did not let be
	// listed, and the first before an object is looked at again whose work was
	// refused; half a minute when 0.
	Refused time.Duration
	// Credential is how long a new credential of a cluster is used at least, and
	// one that could not be got is not asked for again; half a minute and
	// 5 seconds when 0.
	Credential time.Duration
	// Lacking is between two looks for what an event may not tell of: kinds of the
	// product's own, half a minute when 0, and values of a ClusterMetadata, a
	// minute when 0.
	Lacking time.Duration
	// Kept is between two looks whether a cluster of a ClusterSource may go; half
	// a minute when 0.
	Kept time.Duration
	// Declared is before a declared cluster that failed is tried again; 15 seconds
	// when 0. What is known of one that is made of containers is good for twice as
	// long.
	Declared time.Duration
	// Progress is between two looks at an Application that progresses; 5 seconds
	// when 0.
	Progress time.Duration
	// Deletion is between two looks at an Application whose deletion waits, and the
	// first before hooks of it that failed are run again; 10 seconds when 0.
	Deletion time.Duration
	// Flood is between two looks that are made for what is said of a cluster, or by a Git host, again
	// and again; 15 seconds when 0.
	Flood time.Duration
	// Rights is how long the server believes what somebody may do; 10 seconds
	// when 0.
	Rights time.Duration
}

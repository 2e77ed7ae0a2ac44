package history

import "time"

// CommitQuery selects commits, those that were taken up last first. Empty
// fields do not count.
type CommitQuery struct {
	Repo, Project, Cluster string
	State                  State
	// Text has words that all have to occur in the subject, author, revision
	// or address of a commit, or in the name of an application.
	Text string
	// Own has words that all have to occur in what the commit itself says:
	// subject, author, revision or address.
	Own string
	// Before is the commit after which the answer goes on.
	Before CommitPlace
	Limit  int
}

// CommitPlace is where a commit stands in the list.
type CommitPlace struct {
	At time.Time
	CommitKey
}

// CommitOf names a commit of an application.
type CommitOf struct {
	CommitKey

	Namespace, Name string
}

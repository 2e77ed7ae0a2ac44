package history

import (
	"time"
)

// Commit is what one source resolved to.
type Commit struct {
	RepoURL  string    `json:"repoURL"`
	Revision string    `json:"revision"`
	Author   string    `json:"author,omitempty"`
	Date     time.Time `json:"date,omitzero"`
	Subject  string    `json:"subject,omitempty"`
}

// CommitKey names a commit.
type CommitKey struct {
	// Repo is what RepoID says of the repository's address.
	Repo     string
	Revision string
}

// Changed is a commit that changed applications.
type Changed struct {
	CommitKey
	Commit

	// At is when the first application took it up.
	At time.Time
	// Steps are shared: they are not to be changed.
	Steps []Step
	// Version is another one after each change of a step.
	Version int64
}

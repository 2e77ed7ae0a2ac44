package gitops

import "time"

// HostRepository is a branch of a repository that a Git host lists.
type HostRepository struct {
	Organization, Repository string
	// ID is the host's own identifier; empty where it has none.
	ID string
	// URL is the address to clone from, in the protocol that was asked for.
	URL string
	// Branch and its newest commit, in full.
	Branch, SHA string
	// Labels are the host's topics or labels of the repository.
	Labels []string
	// Archived repositories take no changes any more.
	Archived bool
}

// PullRequest is an open pull or merge request.
type PullRequest struct {
	Number int64
	Title  string
	// Branch is merged into TargetBranch.
	Branch, TargetBranch string
	// HeadSHA is the full newest commit of Branch.
	HeadSHA string
	Author  string
	Labels  []string
	// Created and Updated are zero where the host does not tell.
	Created, Updated time.Time
}

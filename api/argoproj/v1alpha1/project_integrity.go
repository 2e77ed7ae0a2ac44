package v1alpha1

// SourceIntegrity says how sources are verified.
type SourceIntegrity struct {
	// Git has the rules for Git repositories.
	Git *SourceIntegrityGit `json:"git"`
}

// SourceIntegrityGit has the rules for Git repositories.
type SourceIntegrityGit struct {
	// Policies in order; those that match the repository count.
	Policies []*SourceIntegrityGitPolicy `json:"policies"`
}

// SourceIntegrityGitPolicy is a rule for some repositories.
type SourceIntegrityGitPolicy struct {
	// Repos are the repositories that it holds for.
	Repos []SourceIntegrityGitPolicyRepo `json:"repos"`
	// GPG verifies signatures.
	GPG *SourceIntegrityGitPolicyGPG `json:"gpg"`
}

// SourceIntegrityGitPolicyRepo names repositories.
type SourceIntegrityGitPolicyRepo struct {
	// URL is a glob; a leading "!" denies.
	URL string `json:"url"`
}

// SourceIntegrityGitPolicyGPGMode is which commits are verified.
type SourceIntegrityGitPolicyGPGMode string

// Which commits are verified: none, the one deployed, or all up to it.
const (
	SourceIntegrityGitPolicyGPGModeNone   SourceIntegrityGitPolicyGPGMode = "none"
	SourceIntegrityGitPolicyGPGModeHead   SourceIntegrityGitPolicyGPGMode = "head"
	SourceIntegrityGitPolicyGPGModeStrict SourceIntegrityGitPolicyGPGMode = "strict"
)

// SourceIntegrityGitPolicyGPG verifies signatures.
type SourceIntegrityGitPolicyGPG struct {
	// Mode is which commits are verified.
	Mode SourceIntegrityGitPolicyGPGMode `json:"mode"`
	// Keys are the IDs of the keys that may sign.
	Keys []string `json:"keys"`
}

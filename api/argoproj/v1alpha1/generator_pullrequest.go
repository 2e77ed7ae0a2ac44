package v1alpha1

// PullRequestGenerator gives parameters of each open pull request.
type PullRequestGenerator struct {
	// Github asks GitHub.
	Github *PullRequestGeneratorGithub `json:"github,omitempty"`
	// GitLab asks GitLab.
	GitLab *PullRequestGeneratorGitLab `json:"gitlab,omitempty"`
	// Gitea asks Gitea.
	Gitea *PullRequestGeneratorGitea `json:"gitea,omitempty"`
	// BitbucketServer asks Bitbucket Server.
	BitbucketServer *PullRequestGeneratorBitbucketServer `json:"bitbucketServer,omitempty"`
	// Filters select pull requests; one of them has to match.
	Filters []PullRequestGeneratorFilter `json:"filters,omitempty"`
	// RequeueAfterSeconds is how long until it is asked again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// Bitbucket asks Bitbucket Cloud.
	Bitbucket *PullRequestGeneratorBitbucket `json:"bitbucket,omitempty"`
	// AzureDevOps asks Azure DevOps.
	AzureDevOps *PullRequestGeneratorAzureDevOps `json:"azuredevops,omitempty"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
	// ContinueOnRepoNotFoundError gives no results instead of an error when the repository does not exist.
	ContinueOnRepoNotFoundError bool `json:"continueOnRepoNotFoundError,omitempty"`
}

// PullRequestGeneratorGithub lists pull requests of a GitHub repository.
type PullRequestGeneratorGithub struct {
	// Owner of the repository.
	Owner string `json:"owner"`
	// Repo is the name of the repository.
	Repo string `json:"repo"`
	// API is the address of GitHub Enterprise.
	API string `json:"api,omitempty"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// AppSecretName is a repository Secret of a GitHub App.
	AppSecretName string `json:"appSecretName,omitempty"`
	// Labels that a pull request has to have.
	Labels []string `json:"labels,omitempty"`
}

// PullRequestGeneratorGitLab lists merge requests of a GitLab project.
type PullRequestGeneratorGitLab struct {
	// Project by number or path.
	Project string `json:"project"`
	// API is the address of GitLab.
	API string `json:"api,omitempty"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// Labels that a merge request has to have.
	Labels []string `json:"labels,omitempty"`
	// PullRequestState that a merge request has to be in; any when empty.
	PullRequestState string `json:"pullRequestState,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// CARef is where the certificate authority is.
	CARef *ConfigMapKeyRef `json:"caRef,omitempty"`
}

// PullRequestGeneratorGitea lists pull requests of a Gitea repository.
type PullRequestGeneratorGitea struct {
	// Owner of the repository.
	Owner string `json:"owner"`
	// Repo is the name of the repository.
	Repo string `json:"repo"`
	// API is the address of Gitea.
	API string `json:"api"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// Labels that a pull request has to have.
	Labels []string `json:"labels,omitempty"`
}

// PullRequestGeneratorBitbucketServer lists pull requests of a Bitbucket Server repository.
type PullRequestGeneratorBitbucketServer struct {
	// Project of the repository.
	Project string `json:"project"`
	// Repo is the name of the repository.
	Repo string `json:"repo"`
	// API is the address of the server.
	API string `json:"api"`
	// BasicAuth signs in with name and password.
	BasicAuth *BasicAuthBitbucketServer `json:"basicAuth,omitempty"`
	// BearerToken signs in with a token.
	BearerToken *BearerTokenBitbucket `json:"bearerToken,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// CARef is where the certificate authority is.
	CARef *ConfigMapKeyRef `json:"caRef,omitempty"`
}

// PullRequestGeneratorBitbucket lists pull requests of a Bitbucket Cloud repository.
type PullRequestGeneratorBitbucket struct {
	// Owner is the workspace of the repository.
	Owner string `json:"owner"`
	// Repo is the name of the repository.
	Repo string `json:"repo"`
	// API is the address of Bitbucket.
	API string `json:"api,omitempty"`
	// BasicAuth signs in with name and password.
	BasicAuth *BasicAuthBitbucketServer `json:"basicAuth,omitempty"`
	// BearerToken signs in with a token.
	BearerToken *BearerTokenBitbucketCloud `json:"bearerToken,omitempty"`
}

// PullRequestGeneratorAzureDevOps lists pull requests of an Azure DevOps repository.
type PullRequestGeneratorAzureDevOps struct {
	// Organization of the project.
	Organization string `json:"organization"`
	// Project of the repository.
	Project string `json:"project"`
	// Repo is the name of the repository.
	Repo string `json:"repo"`
	// API is the address of Azure DevOps.
	API string `json:"api,omitempty"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// Labels that a pull request has to have.
	Labels []string `json:"labels,omitempty"`
}

// PullRequestGeneratorFilter selects pull requests; all its parts have to match.
type PullRequestGeneratorFilter struct {
	// BranchMatch is a regular expression for the source branch.
	BranchMatch *string `json:"branchMatch,omitempty"`
	// TargetBranchMatch is a regular expression for the target branch.
	TargetBranchMatch *string `json:"targetBranchMatch,omitempty"`
	// TitleMatch is a regular expression for the title.
	TitleMatch *string `json:"titleMatch,omitempty"`
}

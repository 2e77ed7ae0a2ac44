package v1alpha1

// SCMProviderGenerator gives parameters of each repository of an organisation.
type SCMProviderGenerator struct {
	// Github asks GitHub.
	Github *SCMProviderGeneratorGithub `json:"github,omitempty"`
	// Gitlab asks GitLab.
	Gitlab *SCMProviderGeneratorGitlab `json:"gitlab,omitempty"`
	// Bitbucket asks Bitbucket Cloud.
	Bitbucket *SCMProviderGeneratorBitbucket `json:"bitbucket,omitempty"`
	// BitbucketServer asks Bitbucket Server.
	BitbucketServer *SCMProviderGeneratorBitbucketServer `json:"bitbucketServer,omitempty"`
	// Gitea asks Gitea.
	Gitea *SCMProviderGeneratorGitea `json:"gitea,omitempty"`
	// AzureDevOps asks Azure DevOps.
	AzureDevOps *SCMProviderGeneratorAzureDevOps `json:"azureDevOps,omitempty"`
	// Filters select repositories; one of them has to match.
	Filters []SCMProviderGeneratorFilter `json:"filters,omitempty"`
	// CloneProtocol is ssh or https; what it is by default depends on the provider.
	CloneProtocol string `json:"cloneProtocol,omitempty"`
	// RequeueAfterSeconds is how long until it is asked again.
	RequeueAfterSeconds *int64 `json:"requeueAfterSeconds,omitempty"`
	// Template overrides the set's template field by field.
	// +optional
	Template ApplicationSetTemplate `json:"template,omitzero"`
	// Values are further parameters, which may be templated.
	Values map[string]string `json:"values,omitempty"`
	// AWSCodeCommit asks AWS CodeCommit.
	AWSCodeCommit *SCMProviderGeneratorAWSCodeCommit `json:"awsCodeCommit,omitempty"`
}

// SCMProviderGeneratorGithub lists the repositories of a GitHub organisation.
type SCMProviderGeneratorGithub struct {
	// Organization to list.
	Organization string `json:"organization"`
	// API is the address of GitHub Enterprise.
	API string `json:"api,omitempty"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// AppSecretName is a repository Secret of a GitHub App.
	AppSecretName string `json:"appSecretName,omitempty"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
	// ExcludeArchivedRepos leaves out archived repositories.
	ExcludeArchivedRepos bool `json:"excludeArchivedRepos,omitempty"`
}

// SCMProviderGeneratorGitlab lists the projects of a GitLab group.
type SCMProviderGeneratorGitlab struct {
	// Group to list, by number or path.
	Group string `json:"group"`
	// IncludeSubgroups lists groups within the group too.
	IncludeSubgroups bool `json:"includeSubgroups,omitempty"`
	// API is the address of GitLab.
	API string `json:"api,omitempty"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// IncludeSharedProjects lists projects shared with the group; true when absent.
	IncludeSharedProjects *bool `json:"includeSharedProjects,omitempty"`
	// Topic keeps only projects of the topic.
	Topic string `json:"topic,omitempty"`
	// CARef is where the certificate authority is.
	CARef *ConfigMapKeyRef `json:"caRef,omitempty"`
	// IncludeArchivedRepos lists archived projects too.
	IncludeArchivedRepos bool `json:"includeArchivedRepos,omitempty"`
}

// SCMProviderGeneratorGitea lists the repositories of a Gitea organisation.
type SCMProviderGeneratorGitea struct {
	// Owner to list.
	Owner string `json:"owner"`
	// API is the address of Gitea.
	API string `json:"api"`
	// TokenRef is where the token is.
	TokenRef *SecretRef `json:"tokenRef,omitempty"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// ExcludeArchivedRepos leaves out archived repositories.
	ExcludeArchivedRepos bool `json:"excludeArchivedRepos,omitempty"`
}

// SCMProviderGeneratorBitbucket lists the repositories of a Bitbucket Cloud workspace.
type SCMProviderGeneratorBitbucket struct {
	// Owner is the workspace to list.
	Owner string `json:"owner"`
	// User to sign in as.
	User string `json:"user"`
	// AppPasswordRef is where the app password is.
	AppPasswordRef *SecretRef `json:"appPasswordRef"`
	// AllBranches looks at every branch, not only the main one.
	AllBranches bool `json:"allBranches,omitempty"`
}

// SCMProviderGeneratorBitbucketServer lists the repositories of a Bitbucket Server project.
type SCMProviderGeneratorBitbucketServer struct {
	// Project to list.
	Project string `json:"project"`
	// API is the address of the server.
	API string `json:"api"`
	// BasicAuth signs in with name and password.
	BasicAuth *BasicAuthBitbucketServer `json:"basicAuth,omitempty"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
	// BearerToken signs in with a token.
	BearerToken *BearerTokenBitbucket `json:"bearerToken,omitempty"`
	// Insecure does not check the server's certificate.
	Insecure bool `json:"insecure,omitempty"`
	// CARef is where the certificate authority is.
	CARef *ConfigMapKeyRef `json:"caRef,omitempty"`
}

// SCMProviderGeneratorAzureDevOps lists the repositories of an Azure DevOps project.
type SCMProviderGeneratorAzureDevOps struct {
	// Organization of the project.
	Organization string `json:"organization"`
	// API is the address of Azure DevOps.
	API string `json:"api,omitempty"`
	// TeamProject to list.
	TeamProject string `json:"teamProject"`
	// AccessTokenRef is where the token is.
	AccessTokenRef *SecretRef `json:"accessTokenRef"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
}

// SCMProviderGeneratorAWSCodeCommit lists the repositories of an AWS region.
type SCMProviderGeneratorAWSCodeCommit struct {
	// TagFilters select repositories by their tags.
	TagFilters []*TagFilter `json:"tagFilters,omitempty"`
	// Role is the ARN of a role to take.
	Role string `json:"role,omitempty"`
	// Region to list; the environment's when empty.
	Region string `json:"region,omitempty"`
	// AllBranches looks at every branch, not only the default one.
	AllBranches bool `json:"allBranches,omitempty"`
}

// TagFilter selects by an AWS tag.
type TagFilter struct {
	// Key of the tag.
	Key string `json:"key"`
	// Value of the tag; any when empty.
	Value string `json:"value,omitempty"`
}

// SCMProviderGeneratorFilter selects repositories; all its parts have to match.
type SCMProviderGeneratorFilter struct {
	// RepositoryMatch is a regular expression for the name.
	RepositoryMatch *string `json:"repositoryMatch,omitempty"`
	// PathsExist are paths that have to exist.
	PathsExist []string `json:"pathsExist,omitempty"`
	// PathsDoNotExist are paths that must not exist.
	PathsDoNotExist []string `json:"pathsDoNotExist,omitempty"`
	// LabelMatch is a regular expression for the labels.
	LabelMatch *string `json:"labelMatch,omitempty"`
	// BranchMatch is a regular expression for the branch.
	BranchMatch *string `json:"branchMatch,omitempty"`
}

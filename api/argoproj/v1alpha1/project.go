package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AppProject is a set of rules for applications: where they may come from,
// where they may go, what they may contain, when they may sync and who may do
// what to them.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=appprojects,shortName=appproj;appprojs,scope=Namespaced
// +kubebuilder:metadata:labels="app.kubernetes.io/name=appprojects.argoproj.io"
// +kubebuilder:metadata:labels="app.kubernetes.io/part-of=causeway"
type AppProject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	// Spec has the rules.
	Spec AppProjectSpec `json:"spec"`
	// Status has the tokens in use.
	// +optional
	Status AppProjectStatus `json:"status,omitzero"`
}

// AppProjectList is a list of AppProjects.
//
// +kubebuilder:object:root=true
type AppProjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	// Items are the projects.
	Items []AppProject `json:"items"`
}

// AppProjectSpec has the rules of a project.
type AppProjectSpec struct {
	// SourceRepos are globs of allowed repositories; a leading "!" denies.
	SourceRepos []string `json:"sourceRepos,omitempty"`
	// Destinations are globs of allowed destinations; a leading "!" denies.
	Destinations []ApplicationDestination `json:"destinations,omitempty"`
	// Description for people.
	// +kubebuilder:validation:MaxLength=255
	Description string `json:"description,omitempty"`
	// Roles give rights on the project's applications.
	Roles []ProjectRole `json:"roles,omitempty"`
	// ClusterResourceWhitelist are the cluster-scoped kinds that are allowed; none when empty.
	ClusterResourceWhitelist []ClusterResourceRestrictionItem `json:"clusterResourceWhitelist,omitempty"`
	// NamespaceResourceBlacklist are the namespaced kinds that are denied.
	NamespaceResourceBlacklist []metav1.GroupKind `json:"namespaceResourceBlacklist,omitempty"`
	// OrphanedResources watches for objects that no application has.
	OrphanedResources *OrphanedResourcesMonitorSettings `json:"orphanedResources,omitempty"`
	// SyncWindows are times at which syncs are allowed or denied.
	SyncWindows SyncWindows `json:"syncWindows,omitempty"`
	// NamespaceResourceWhitelist are the namespaced kinds that are allowed: all when
	// absent, and none when empty, which therefore has to stay when it is written.
	// +optional
	NamespaceResourceWhitelist []metav1.GroupKind `json:"namespaceResourceWhitelist,omitzero"`
	// SignatureKeys are the GPG keys that commits have to be signed with.
	SignatureKeys []SignatureKey `json:"signatureKeys,omitempty"`
	// ClusterResourceBlacklist are the cluster-scoped kinds that are denied.
	ClusterResourceBlacklist []ClusterResourceRestrictionItem `json:"clusterResourceBlacklist,omitempty"`
	// SourceNamespaces are globs of namespaces whose Applications may use the project.
	SourceNamespaces []string `json:"sourceNamespaces,omitempty"`
	// PermitOnlyProjectScopedClusters allows only clusters that belong to the project.
	PermitOnlyProjectScopedClusters bool `json:"permitOnlyProjectScopedClusters,omitempty"`
	// DestinationServiceAccounts are the accounts that syncs act as.
	DestinationServiceAccounts []ApplicationDestinationServiceAccount `json:"destinationServiceAccounts,omitempty"`
	// SourceIntegrity says how sources are verified.
	SourceIntegrity *SourceIntegrity `json:"sourceIntegrity,omitempty"`
}

// AppProjectStatus has the tokens in use.
type AppProjectStatus struct {
	// JWTTokensByRole are the tokens of each role.
	JWTTokensByRole map[string]JWTTokens `json:"jwtTokensByRole,omitempty"`
}

// ClusterResourceRestrictionItem names cluster-scoped kinds, or objects of them, by globs.
type ClusterResourceRestrictionItem struct {
	// Group of the kinds.
	Group string `json:"group"`
	// Kind of the objects.
	Kind string `json:"kind"`
	// Name of the objects; any when empty.
	Name string `json:"name,omitempty"`
}

// ProjectRole gives rights on the project's applications.
type ProjectRole struct {
	// Name of the role.
	Name string `json:"name"`
	// Description for people.
	Description string `json:"description,omitempty"`
	// Policies are lines of policy.
	Policies []string `json:"policies,omitempty"`
	// JWTTokens are tokens that have the role.
	JWTTokens []JWTToken `json:"jwtTokens,omitempty"`
	// Groups are groups of people that have the role.
	Groups []string `json:"groups,omitempty"`
}

// JWTTokens are tokens.
type JWTTokens struct {
	// Items are the tokens.
	Items []JWTToken `json:"items,omitempty"`
}

// JWTToken describes a token; it does not hold it.
type JWTToken struct {
	// IssuedAt in seconds since 1970.
	IssuedAt int64 `json:"iat"`
	// ExpiresAt in seconds since 1970; never when 0.
	ExpiresAt int64 `json:"exp,omitempty"`
	// ID of the token.
	ID string `json:"id,omitempty"`
}

// OrphanedResourcesMonitorSettings says how objects that no application has are treated.
type OrphanedResourcesMonitorSettings struct {
	// Warn writes a condition.
	Warn *bool `json:"warn,omitempty"`
	// Ignore are objects that may be there.
	Ignore []OrphanedResourceKey `json:"ignore,omitempty"`
}

// OrphanedResourceKey names objects by globs.
type OrphanedResourceKey struct {
	// Group of the objects.
	Group string `json:"group,omitempty"`
	// Kind of the objects.
	Kind string `json:"kind,omitempty"`
	// Name of the objects.
	Name string `json:"name,omitempty"`
}

// Kinds of SyncWindow.
const (
	SyncWindowKindAllow = "allow"
	SyncWindowKindDeny  = "deny"
)

// SyncWindows are times at which syncs are allowed or denied.
type SyncWindows []*SyncWindow

// SyncWindow is a recurring time at which syncs are allowed or denied.
type SyncWindow struct {
	// Kind is allow or deny.
	Kind string `json:"kind,omitempty"`
	// Schedule is when it opens, in cron format.
	Schedule string `json:"schedule,omitempty"`
	// Duration is how long it stays open.
	Duration string `json:"duration,omitempty"`
	// Applications are globs of the applications that it holds for.
	Applications []string `json:"applications,omitempty"`
	// Namespaces are globs of the namespaces that it holds for.
	Namespaces []string `json:"namespaces,omitempty"`
	// Clusters are globs of the clusters that it holds for.
	Clusters []string `json:"clusters,omitempty"`
	// ManualSync allows syncs by hand whatever the window says.
	ManualSync bool `json:"manualSync,omitempty"`
	// TimeZone of the schedule; UTC when empty.
	TimeZone string `json:"timeZone,omitempty"`
	// UseAndOperator makes applications, namespaces and clusters all have to match.
	UseAndOperator bool `json:"andOperator,omitempty"`
	// Description for people.
	Description string `json:"description,omitempty"`
	// SyncOverrun lets a sync that began in time go on.
	SyncOverrun bool `json:"syncOverrun,omitempty"`
}

// SignatureKey names a GPG key.
type SignatureKey struct {
	// KeyID is the ID of the key.
	KeyID string `json:"keyID"`
}

// ApplicationDestinationServiceAccount is the account that syncs to a destination act as.
type ApplicationDestinationServiceAccount struct {
	// Server is a glob of the cluster's address.
	Server string `json:"server"`
	// Namespace is a glob of the namespace.
	Namespace string `json:"namespace,omitempty"`
	// DefaultServiceAccount is the account, [namespace:]name.
	DefaultServiceAccount string `json:"defaultServiceAccount"`
}

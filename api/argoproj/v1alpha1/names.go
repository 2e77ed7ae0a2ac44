package v1alpha1

// Annotations that are read or written on Applications and on the objects that
// they deploy.
const (
	AnnotationRefresh               = "argocd.argoproj.io/refresh"
	AnnotationHydrate               = "argocd.argoproj.io/hydrate"
	AnnotationApplicationSetRefresh = "argocd.argoproj.io/application-set-refresh"
	AnnotationManifestGeneratePaths = "argocd.argoproj.io/manifest-generate-paths"
	AnnotationSkipReconcile         = "argocd.argoproj.io/skip-reconcile"
	AnnotationManagedBy             = "argocd.argoproj.io/managed-by"
	AnnotationManagedByURL          = "argocd.argoproj.io/managed-by-url"

	AnnotationSyncWave                        = "argocd.argoproj.io/sync-wave"
	AnnotationHook                            = "argocd.argoproj.io/hook"
	AnnotationHookDeletePolicy                = "argocd.argoproj.io/hook-delete-policy"
	AnnotationSyncOptions                     = "argocd.argoproj.io/sync-options"
	AnnotationCompareOptions                  = "argocd.argoproj.io/compare-options"
	AnnotationTrackingID                      = "argocd.argoproj.io/tracking-id"
	AnnotationInstallationID                  = "argocd.argoproj.io/installation-id"
	AnnotationIgnoreHealthcheck               = "argocd.argoproj.io/ignore-healthcheck"
	AnnotationIgnoreResourceUpdates           = "argocd.argoproj.io/ignore-resource-updates"
	AnnotationIgnoreDifferences               = "argocd.argoproj.io/ignore-differences"
	AnnotationIgnoreRestartPolicy             = "argocd.argoproj.io/ignore-restart-policy"
	AnnotationDeletionApproved                = "argocd.argoproj.io/deletion-approved"
	AnnotationIgnoreDefaultLinks              = "argocd.argoproj.io/ignore-default-links"
	AnnotationClientSideApplyMigrationManager = "argocd.argoproj.io/client-side-apply-migration-manager"

	// AnnotationLinkPrefix begins annotations that hold a link to show.
	AnnotationLinkPrefix = "link.argocd.argoproj.io/"

	AnnotationHelmHook             = "helm.sh/hook"
	AnnotationHelmHookWeight       = "helm.sh/hook-weight"
	AnnotationHelmHookDeletePolicy = "helm.sh/hook-delete-policy"
	AnnotationHelmResourcePolicy   = "helm.sh/resource-policy"
)

// Labels that are read or written.
const (
	// LabelSecretType tells what a Secret describes.
	LabelSecretType = "argocd.argoproj.io/secret-type"
	// LabelInstance names the application of an object when tracking is by label.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelKubernetesVersion is the cluster's version, on cluster Secrets.
	LabelKubernetesVersion = "argocd.argoproj.io/kubernetes-version"
	// LabelAutoLabelClusterInfo asks for LabelKubernetesVersion, on cluster Secrets.
	LabelAutoLabelClusterInfo = "argocd.argoproj.io/auto-label-cluster-info"
)

// SettingsName is the ConfigMap with the installation's settings.
const SettingsName = "argocd-cm"

// Values of LabelSecretType.
const (
	SecretTypeCluster         = "cluster"
	SecretTypeRepository      = "repository"
	SecretTypeRepositoryWrite = "repository-write"
	SecretTypeRepoCreds       = "repo-creds"
	SecretTypeSCMCreds        = "scm-creds"
)

// Finalizers.
const (
	// FinalizerResources deletes an Application's objects before the Application.
	FinalizerResources           = "resources-finalizer.argocd.argoproj.io"
	FinalizerResourcesForeground = "resources-finalizer.argocd.argoproj.io/foreground"
	FinalizerResourcesBackground = "resources-finalizer.argocd.argoproj.io/background"
	// FinalizerPreDelete and FinalizerPostDelete run the hooks of deletion.
	FinalizerPreDelete  = "pre-delete-finalizer.argocd.argoproj.io"
	FinalizerPostDelete = "post-delete-finalizer.argocd.argoproj.io"
)

// RefreshType is the value of AnnotationRefresh.
type RefreshType string

// A normal refresh reads the sources again; a hard one trusts no cache.
const (
	RefreshTypeNormal RefreshType = "normal"
	RefreshTypeHard   RefreshType = "hard"
)

// RefreshRequested tells whether the application asks to be refreshed, and how.
// A value that is not "hard" counts as normal.
func (a *Application) RefreshRequested() (RefreshType, bool) {
	value, ok := a.Annotations[AnnotationRefresh]
	if !ok {
		return "", false
	}
	if RefreshType(value) == RefreshTypeHard {
		return RefreshTypeHard, true
	}
	return RefreshTypeNormal, true
}

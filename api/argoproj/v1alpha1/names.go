package v1alpha1

// Annotations that are read or written on Applications and on the objects that
// they deploy. What is written here of each is its reference.
const (
	// AnnotationRefresh of an Application asks for another look: normal, or
	// hard, which trusts no cache. It is taken away when that is done.
	AnnotationRefresh = "argocd.argoproj.io/refresh"
	// AnnotationHydrate belongs to the source hydrator, which is not there yet;
	// it is kept as it is.
	AnnotationHydrate = "argocd.argoproj.io/hydrate"
	// AnnotationApplicationSetRefresh of an ApplicationSet, with true, asks for
	// its generators to be run again. It is taken away when that is done.
	AnnotationApplicationSetRefresh = "argocd.argoproj.io/application-set-refresh"
	// AnnotationManifestGeneratePaths of an Application names the folders that
	// a plugin gets beside the path of the source, parted by semicolons. No
	// other source needs it: what a rendering read is recorded.
	AnnotationManifestGeneratePaths = "argocd.argoproj.io/manifest-generate-paths"
	// AnnotationSkipReconcile of an Application, with true, leaves it alone; of a
	// cluster Secret, all that goes to the cluster. See docs/how-to/clusters.md.
	AnnotationSkipReconcile = "argocd.argoproj.io/skip-reconcile"
	// AnnotationManagedBy is not read.
	AnnotationManagedBy = "argocd.argoproj.io/managed-by"
	// AnnotationManagedByURL is not read.
	AnnotationManagedByURL = "argocd.argoproj.io/managed-by-url"

	// AnnotationSyncWave of an object is a whole number: lower waves come first,
	// and each waits until the one before is healthy. See
	// docs/how-to/waves-and-hooks.md.
	AnnotationSyncWave = "argocd.argoproj.io/sync-wave"
	// AnnotationHook of an object makes it a hook: PreSync, Sync, PostSync,
	// SyncFail, PreDelete, PostDelete or Skip, or several with commas. See
	// docs/how-to/waves-and-hooks.md.
	AnnotationHook = "argocd.argoproj.io/hook"
	// AnnotationHookDeletePolicy of a hook says when it is deleted:
	// BeforeHookCreation (the default), HookSucceeded or HookFailed.
	AnnotationHookDeletePolicy = "argocd.argoproj.io/hook-delete-policy"
	// AnnotationSyncOptions of an object holds sync options, parted by commas,
	// that win over those of the Application.
	AnnotationSyncOptions = "argocd.argoproj.io/sync-options"
	// AnnotationCompareOptions of an object, or of the Application, holds
	// IgnoreExtraneous and ServerSideDiff=true or false, parted by commas;
	// IncludeMutationWebhook is always so.
	AnnotationCompareOptions = "argocd.argoproj.io/compare-options"
	// AnnotationTrackingID is written on each object: the application and the
	// object's own key. An object whose own key is another is a copy, and not
	// the application's.
	AnnotationTrackingID = "argocd.argoproj.io/tracking-id"
	// AnnotationInstallationID is written on each object where argocd-cm has
	// installationID. An object with another value than argocd-cm has, or without
	// one that it has, counts as no application's. What a manifest has there is not applied.
	AnnotationInstallationID = "argocd.argoproj.io/installation-id"
	// AnnotationIgnoreHealthcheck of an object, with true, leaves its health out
	// of the Application's.
	AnnotationIgnoreHealthcheck = "argocd.argoproj.io/ignore-healthcheck"
	// AnnotationIgnoreResourceUpdates is not needed, and not read: an update
	// that changes nothing of what is synced costs next to nothing.
	AnnotationIgnoreResourceUpdates = "argocd.argoproj.io/ignore-resource-updates"
	// AnnotationIgnoreDifferences of an object holds differences of that object
	// that do not count. See docs/how-to/ignore-differences.md.
	AnnotationIgnoreDifferences = "argocd.argoproj.io/ignore-differences"
	// AnnotationIgnoreRestartPolicy of a Pod, with true, has it assessed as a
	// Pod that always restarts.
	AnnotationIgnoreRestartPolicy = "argocd.argoproj.io/ignore-restart-policy"
	// AnnotationDeletionApproved of an Application is the time at which a
	// Prune=confirm or Delete=confirm was agreed to; causeway approve writes
	// it. See docs/how-to/deletion.md.
	AnnotationDeletionApproved = "argocd.argoproj.io/deletion-approved"
	// AnnotationIgnoreDefaultLinks is not read: pages show no such links.
	AnnotationIgnoreDefaultLinks = "argocd.argoproj.io/ignore-default-links"
	// AnnotationClientSideApplyMigrationManager of an Application, or of one
	// object, names one more field manager whose fields are taken over.
	AnnotationClientSideApplyMigrationManager = "argocd.argoproj.io/client-side-apply-migration-manager"

	// AnnotationLinkPrefix begins annotations that hold a link to show; no
	// page shows it.
	AnnotationLinkPrefix = "link.argocd.argoproj.io/"

	// AnnotationHelmHook counts where the object has no hook of Argo CD's:
	// install and upgrade before and after a sync, deletion before and after
	// that of the Application.
	AnnotationHelmHook = "helm.sh/hook"
	// AnnotationHelmHookWeight is the wave of an object that has none of Argo CD's.
	AnnotationHelmHookWeight = "helm.sh/hook-weight"
	// AnnotationHelmHookDeletePolicy counts as the hook delete policy beside
	// Argo CD's.
	AnnotationHelmHookDeletePolicy = "helm.sh/hook-delete-policy"
	// AnnotationHelmResourcePolicy with keep says Prune=false and Delete=false.
	AnnotationHelmResourcePolicy = "helm.sh/resource-policy"
)

// Labels that are read or written.
const (
	// LabelSecretType of a Secret tells what it describes: cluster, repository,
	// repository-write, repo-creds or scm-creds.
	LabelSecretType = "argocd.argoproj.io/secret-type"
	// LabelInstance names the application of an object when tracking is by
	// label; argocd-cm may name another.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelKubernetesVersion of a cluster's Secret is the cluster's version: a
	// preview renders charts for it.
	LabelKubernetesVersion = "argocd.argoproj.io/kubernetes-version"
	// LabelAutoLabelClusterInfo is not read.
	LabelAutoLabelClusterInfo = "argocd.argoproj.io/auto-label-cluster-info"
	// LabelEnvironment of an Application, or of its cluster's Secret, names its
	// environment, before environment, env and stage do. Argo CD does not have it.
	// See docs/how-to/environments.md.
	LabelEnvironment = "causeway.io/environment"
	// LabelProduct of an Application names its product, where names do not tell.
	// Argo CD does not have it. See docs/how-to/environments.md.
	LabelProduct = "causeway.io/product"
)

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
	FinalizerResources = "resources-finalizer.argocd.argoproj.io"
	// FinalizerResourcesForeground does the same, and waits for what the objects own.
	FinalizerResourcesForeground = "resources-finalizer.argocd.argoproj.io/foreground"
	// FinalizerResourcesBackground does the same, and leaves what the objects own
	// to the garbage collector.
	FinalizerResourcesBackground = "resources-finalizer.argocd.argoproj.io/background"
	// FinalizerPreDelete is written where there are PreDelete hooks, and goes when
	// they are over.
	FinalizerPreDelete = "pre-delete-finalizer.argocd.argoproj.io"
	// FinalizerPostDelete is written where there are PostDelete hooks, and goes
	// when they are over.
	FinalizerPostDelete = "post-delete-finalizer.argocd.argoproj.io"
)

// RefreshType is the value of AnnotationRefresh.
type RefreshType string

// A normal refresh reads the sources again; a hard one trusts no cache.
const (
	RefreshTypeNormal RefreshType = "normal"
	RefreshTypeHard   RefreshType = "hard"
)

// RefreshRequested reports whether the application asks to be refreshed, and how.
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

package v1alpha1

// Annotations that are read or written on Applications and on the objects that
// they deploy. What is written here of each is its reference.
const (
	// AnnotationRefresh, on an Application, requests a refresh: normal, or
	// hard, which ignores all caches. It is removed when the refresh is done.
	AnnotationRefresh = "argocd.argoproj.io/refresh"
	// AnnotationHydrate is for the source hydrator, which is not supported yet;
	// it is kept as it is.
	AnnotationHydrate = "argocd.argoproj.io/hydrate"
	// AnnotationApplicationSetRefresh, set to true on an ApplicationSet,
	// requests that its generators run again. It is removed when they have.
	AnnotationApplicationSetRefresh = "argocd.argoproj.io/application-set-refresh"
	// AnnotationManifestGeneratePaths, on an Application, is the list of
	// folders that a plugin gets besides the path of the source, separated by
	// semicolons. No other source needs it, because the engine records which
	// files a render read.
	AnnotationManifestGeneratePaths = "argocd.argoproj.io/manifest-generate-paths"
	// AnnotationSkipReconcile, set to true on an Application, pauses its
	// reconciliation; on a cluster Secret, it pauses all Applications of that
	// cluster. See docs/how-to/clusters.md.
	AnnotationSkipReconcile = "argocd.argoproj.io/skip-reconcile"
	// AnnotationManagedBy is not read.
	AnnotationManagedBy = "argocd.argoproj.io/managed-by"
	// AnnotationManagedByURL is not read.
	AnnotationManagedByURL = "argocd.argoproj.io/managed-by-url"

	// AnnotationSyncWave, on an object, is its sync wave, a whole number: lower
	// waves are applied first, and each waits until the one before is healthy.
	// See docs/how-to/waves-and-hooks.md.
	AnnotationSyncWave = "argocd.argoproj.io/sync-wave"
	// AnnotationHook, on an object, makes it a hook: PreSync, Sync, PostSync,
	// SyncFail, PreDelete, PostDelete or Skip, or several of them, separated by
	// commas. See docs/how-to/waves-and-hooks.md.
	AnnotationHook = "argocd.argoproj.io/hook"
	// AnnotationHookDeletePolicy, on a hook, is when it is deleted:
	// BeforeHookCreation (the default), HookSucceeded or HookFailed.
	AnnotationHookDeletePolicy = "argocd.argoproj.io/hook-delete-policy"
	// AnnotationSyncOptions, on an object, is the list of its sync options,
	// separated by commas. They override those of the Application.
	AnnotationSyncOptions = "argocd.argoproj.io/sync-options"
	// AnnotationCompareOptions, on an object or an Application, is a list of
	// IgnoreExtraneous and ServerSideDiff=true or false, separated by commas;
	// IncludeMutationWebhook is always on.
	AnnotationCompareOptions = "argocd.argoproj.io/compare-options"
	// AnnotationTrackingID is written on each object: the Application, and the
	// object's own kind, namespace and name. If these are those of another
	// object, the object is a copy and does not belong to the Application.
	AnnotationTrackingID = "argocd.argoproj.io/tracking-id"
	// AnnotationInstallationID is written on each object where argocd-cm has
	// installationID. An object on which its value differs from argocd-cm, or
	// where only one of the two has it, belongs to no Application. The value in
	// a manifest is not applied.
	AnnotationInstallationID = "argocd.argoproj.io/installation-id"
	// AnnotationIgnoreHealthcheck, set to true on an object, excludes it from
	// the health of the Application.
	AnnotationIgnoreHealthcheck = "argocd.argoproj.io/ignore-healthcheck"
	// AnnotationIgnoreResourceUpdates is not needed and not read: an update
	// that changes nothing of what is synced costs next to nothing.
	AnnotationIgnoreResourceUpdates = "argocd.argoproj.io/ignore-resource-updates"
	// AnnotationIgnoreDifferences, on an object, is the list of its differences
	// that are ignored. See docs/how-to/ignore-differences.md.
	AnnotationIgnoreDifferences = "argocd.argoproj.io/ignore-differences"
	// AnnotationIgnoreRestartPolicy, set to true on a Pod, has its health
	// assessed as if its restartPolicy were Always.
	AnnotationIgnoreRestartPolicy = "argocd.argoproj.io/ignore-restart-policy"
	// AnnotationDeletionApproved, on an Application, is the time at which
	// somebody confirmed a Prune=confirm or Delete=confirm; causeway approve
	// writes it. See docs/how-to/deletion.md.
	AnnotationDeletionApproved = "argocd.argoproj.io/deletion-approved"
	// AnnotationIgnoreDefaultLinks is not read: the pages show no such links.
	AnnotationIgnoreDefaultLinks = "argocd.argoproj.io/ignore-default-links"
	// AnnotationClientSideApplyMigrationManager, on an Application or an
	// object, is the name of one more field manager whose fields are taken
	// over.
	AnnotationClientSideApplyMigrationManager = "argocd.argoproj.io/client-side-apply-migration-manager"

	// AnnotationLinkPrefix is the prefix of annotations with links to show; no
	// page shows them.
	AnnotationLinkPrefix = "link.argocd.argoproj.io/"

	// AnnotationHelmHook counts where the object has no hook annotation of Argo
	// CD: hooks of install and upgrade run before and after a sync, those of
	// delete before and after the deletion of the Application.
	AnnotationHelmHook = "helm.sh/hook"
	// AnnotationHelmHookWeight is the sync wave of an object that has no
	// sync-wave annotation of Argo CD.
	AnnotationHelmHookWeight = "helm.sh/hook-weight"
	// AnnotationHelmHookDeletePolicy counts as the hook delete policy, besides
	// Argo CD's annotation.
	AnnotationHelmHookDeletePolicy = "helm.sh/hook-delete-policy"
	// AnnotationHelmResourcePolicy, set to keep, means Prune=false and
	// Delete=false.
	AnnotationHelmResourcePolicy = "helm.sh/resource-policy"
)

// Labels that are read or written.
const (
	// LabelSecretType, on a Secret, is what it describes: cluster, repository,
	// repository-write, repo-creds or scm-creds.
	LabelSecretType = "argocd.argoproj.io/secret-type"
	// LabelInstance is the name of the Application of an object, if tracking is
	// by label; argocd-cm may set another label.
	LabelInstance = "app.kubernetes.io/instance"
	// LabelKubernetesVersion, on a cluster Secret, is the Kubernetes version of
	// the cluster, for which a preview renders charts.
	LabelKubernetesVersion = "argocd.argoproj.io/kubernetes-version"
	// LabelAutoLabelClusterInfo is not read.
	LabelAutoLabelClusterInfo = "argocd.argoproj.io/auto-label-cluster-info"
	// LabelEnvironment, on an Application or on the Secret of its cluster, is
	// its environment. It takes precedence over environment, env and stage.
	// Argo CD does not have it. See docs/how-to/environments.md.
	LabelEnvironment = "causeway.io/environment"
	// LabelProduct, on an Application, is its product, where the name does not
	// show it. Argo CD does not have it. See docs/how-to/environments.md.
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
	// FinalizerResources deletes the objects of an Application before the
	// Application itself.
	FinalizerResources = "resources-finalizer.argocd.argoproj.io"
	// FinalizerResourcesForeground does the same, and waits until the objects
	// that they own are deleted.
	FinalizerResourcesForeground = "resources-finalizer.argocd.argoproj.io/foreground"
	// FinalizerResourcesBackground does the same, and leaves the objects that
	// they own to the garbage collector.
	FinalizerResourcesBackground = "resources-finalizer.argocd.argoproj.io/background"
	// FinalizerPreDelete is written where there are PreDelete hooks, and
	// removed when they have finished.
	FinalizerPreDelete = "pre-delete-finalizer.argocd.argoproj.io"
	// FinalizerPostDelete is written where there are PostDelete hooks, and
	// removed when they have finished.
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

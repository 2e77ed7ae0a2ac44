package v1alpha1

// SettingsName is the ConfigMap with the installation's settings.
const SettingsName = "argocd-cm"

// Keys of the ConfigMap argocd-cm that are followed as they change.
const (
	// SettingTracking says how objects are marked: annotation, label, or
	// annotation+label. The annotation is written in any case.
	SettingTracking = "application.resourceTrackingMethod"
	// SettingInstanceLabel is the label of tracking by label, instead of
	// app.kubernetes.io/instance.
	SettingInstanceLabel = "application.instanceLabelKey"
	// SettingInstallation names the installation beside the tracking
	// annotation, where several share a cluster: what is marked in another way is
	// no object of its applications.
	SettingInstallation = "installationID"
	// SettingBuildOptions are flags of kustomize build.
	SettingBuildOptions = "kustomize.buildOptions"
	// SettingKustomize turns Kustomize off with any value but true.
	SettingKustomize = "kustomize.enable"
	// SettingHelm turns Helm off with any value but true.
	SettingHelm = "helm.enable"
	// SettingJsonnet turns plain folders and Jsonnet off with any value but true.
	SettingJsonnet = "jsonnet.enable"
	// SettingValueSchemes are the schemes that value files of Helm may have,
	// parted by commas.
	SettingValueSchemes = "helm.valuesFileSchemes"
	// SettingGlobals lists projects whose rules others inherit, with selectors.
	// See docs/how-to/projects.md.
	SettingGlobals = "globalProjects"
	// SettingImpersonation, with true, lets syncs act as the service accounts
	// that projects name. See docs/how-to/impersonation.md.
	SettingImpersonation = "application.sync.impersonation.enabled"
	// SettingImpersonationEnforced, with false, lets the engine use its own
	// account where a project names none.
	SettingImpersonationEnforced = "application.sync.impersonation.enforced"
	// SettingExec, with true, lets people open terminals in containers, as their
	// policy lets them; with anything else nobody may. Without it --exec counts.
	// See docs/how-to/browser.md.
	SettingExec = "exec.enabled"
	// SettingShells lists the shells that terminals try, parted by commas.
	SettingShells = "exec.shells"
	// SettingExclusions lists kinds that the engine leaves alone.
	SettingExclusions = "resource.exclusions"
	// SettingInclusions lists the only kinds that the engine looks after.
	SettingInclusions = "resource.inclusions"
	// SettingCustomizations holds health checks, actions, ignored differences
	// and known types of kinds, each in its own key behind it
	// (resource.customizations.health.GROUP_KIND) or all in this one. See
	// docs/how-to/health.md and docs/how-to/ignore-differences.md.
	SettingCustomizations = "resource.customizations"
	// SettingCompareOptions says which differences do not count:
	// ignoreResourceStatusField, ignoreAggregatedRoles,
	// ignoreDifferencesOnResourceUpdates.
	SettingCompareOptions = "resource.compareoptions"
	// SettingHidden names annotations of Secrets whose values are not shown,
	// parted by commas.
	SettingHidden = "resource.sensitive.mask.annotations"
	// SettingConditions, with true, makes the conditions of objects the health
	// of kinds that have no check. Argo CD does not have it. See
	// docs/how-to/health.md.
	SettingConditions = "causeway.health.conditions"
	// SettingDrift is the drift policy of the installation, in the form of the
	// annotation. Argo CD does not have it. See docs/how-to/drift.md.
	SettingDrift = "causeway.drift"
	// SettingGuard has the limits from which on deletions are held. Argo CD
	// does not have it. See docs/how-to/mass-deletion-guard.md.
	SettingGuard = "causeway.guard"
	// SettingEnvironments lists environments in the order of promotion, parted by
	// commas. Argo CD does not have it. See docs/how-to/environments.md.
	SettingEnvironments = "causeway.environments"
	// SettingExecAllow names programs that may get credentials of clusters, by
	// commas or lines, besides the well-known ones. Argo CD does not have it.
	// See docs/how-to/clusters.md.
	SettingExecAllow = "causeway.clusters.exec.allow"
)

// Keys of it that say who signs in, and how.
const (
	// SettingURL is the address that people open, to which an issuer sends them
	// back. See docs/how-to/single-sign-on.md.
	SettingURL = "url"
	// SettingMoreURLs lists further addresses of the installation, in YAML.
	SettingMoreURLs = "additionalUrls"
	// SettingOIDC describes an issuer of OpenID Connect, in YAML. See
	// docs/how-to/single-sign-on.md.
	SettingOIDC = "oidc.config"
	// SettingOIDCInsecure, with true, takes any certificate of the issuer.
	SettingOIDCInsecure = "oidc.tls.insecure.skip.verify"
	// SettingDex is not used, as Dex is not run: that is told where nobody can
	// sign in by oidc.config.
	SettingDex = "dex.config"
	// SettingAccounts begins keys of local accounts: accounts.NAME lists what one
	// may use, of login and apiKey, and with false in accounts.NAME.enabled
	// nobody signs in as it.
	SettingAccounts = "accounts."
	// SettingAdmin, with false, lets nobody sign in as admin.
	SettingAdmin = "admin.enabled"
	// SettingPattern is the regular expression that a new password has to match.
	// See docs/how-to/browser.md.
	SettingPattern = "passwordPattern"
	// SettingAnonymous, with true, lets everybody in without signing in, with
	// policy.default of argocd-rbac-cm. See docs/how-to/browser.md.
	SettingAnonymous = "users.anonymous.enabled"
	// SettingSession says how long a session lasts, as in 12h or 7d. See
	// docs/how-to/browser.md.
	SettingSession = "users.session.duration"
)

package v1alpha1

// SettingsName is the ConfigMap with the installation's settings.
const SettingsName = "argocd-cm"

// ParamsName is the ConfigMap with what the programs of Argo CD are started with, which
// is read once. ParamDoublestarFiles, set to true, has git generators match files by
// path globs, in which ** stands for any folders, instead of by Git's own patterns.
const (
	ParamsName           = "argocd-cmd-params-cm"
	ParamDoublestarFiles = "applicationsetcontroller.enable.new.git.file.globbing"
)

// Keys of the ConfigMap argocd-cm that are followed as they change.
const (
	// SettingTracking is the tracking method: annotation, label, or
	// annotation+label. The annotation is written in any case.
	SettingTracking = "application.resourceTrackingMethod"
	// SettingInstanceLabel is the label for tracking by label, instead of
	// app.kubernetes.io/instance.
	SettingInstanceLabel = "application.instanceLabelKey"
	// SettingInstallation is the name of the installation, which is written beside
	// the tracking annotation where several installations share a cluster. An
	// object with another name, or without one, belongs to none of its
	// Applications.
	SettingInstallation = "installationID"
	// SettingBuildOptions are flags of kustomize build.
	SettingBuildOptions = "kustomize.buildOptions"
	// SettingKustomize, set to any value but true, turns Kustomize off.
	SettingKustomize = "kustomize.enable"
	// SettingHelm, set to any value but true, turns Helm off.
	SettingHelm = "helm.enable"
	// SettingJsonnet, set to any value but true, turns plain folders and
	// Jsonnet off.
	SettingJsonnet = "jsonnet.enable"
	// SettingValueSchemes is the list of URL schemes that value files of Helm
	// may have, separated by commas.
	SettingValueSchemes = "helm.valuesFileSchemes"
	// SettingGlobals is the list of global projects, whose rules other projects
	// inherit, with selectors. See docs/how-to/projects.md.
	SettingGlobals = "globalProjects"
	// SettingImpersonation, set to true, makes syncs act as the service
	// accounts that projects name. See docs/how-to/impersonation.md.
	SettingImpersonation = "application.sync.impersonation.enabled"
	// SettingImpersonationEnforced, set to false, lets the engine use its own
	// account where a project names none.
	SettingImpersonationEnforced = "application.sync.impersonation.enforced"
	// SettingExec, set to true, lets people open terminals in containers if
	// their policy permits it; any other value forbids it to all. If the key is
	// missing, the flag --exec decides. See docs/how-to/browser.md.
	SettingExec = "exec.enabled"
	// SettingShells is the list of shells that a terminal tries, separated by
	// commas.
	SettingShells = "exec.shells"
	// SettingExclusions is the list of kinds that the engine ignores.
	SettingExclusions = "resource.exclusions"
	// SettingInclusions is the list of kinds that the engine manages; it
	// ignores all others.
	SettingInclusions = "resource.inclusions"
	// SettingCustomizations is the prefix of the keys for health checks,
	// actions, ignored differences and known types of a kind
	// (resource.customizations.health.GROUP_KIND), or one key with all of them.
	// See docs/how-to/health.md and docs/how-to/ignore-differences.md.
	SettingCustomizations = "resource.customizations"
	// SettingCompareOptions is the choice of differences that are ignored:
	// ignoreResourceStatusField, ignoreAggregatedRoles,
	// ignoreDifferencesOnResourceUpdates.
	SettingCompareOptions = "resource.compareoptions"
	// SettingHidden is the list of annotations of Secrets whose values are
	// masked, separated by commas.
	SettingHidden = "resource.sensitive.mask.annotations"
	// SettingConditions, set to true, derives the health of kinds without a
	// health check from the conditions of their objects. Argo CD does not have
	// it. See docs/how-to/health.md.
	SettingConditions = "causeway.health.conditions"
	// SettingDrift is the drift policy of the installation, in the form of the
	// annotation. Argo CD does not have it. See docs/how-to/drift.md.
	SettingDrift = "causeway.drift"
	// SettingGuard is the limits of the mass-deletion guard. Argo CD does not
	// have it. See docs/how-to/mass-deletion-guard.md.
	SettingGuard = "causeway.guard"
	// SettingEnvironments is the list of environments in the order of
	// promotion, separated by commas. Argo CD does not have it. See
	// docs/how-to/environments.md.
	SettingEnvironments = "causeway.environments"
	// SettingExecAllow is the list of programs that may get credentials of
	// clusters, besides the well-known ones, separated by commas or lines. Argo
	// CD does not have it. See docs/how-to/clusters.md.
	SettingExecAllow = "causeway.clusters.exec.allow"
)

// Keys of it that say who signs in, and how.
const (
	// SettingURL is the address of the pages; the issuer redirects people to it
	// after they have signed in. See docs/how-to/single-sign-on.md.
	SettingURL = "url"
	// SettingMoreURLs is the list of further addresses of the installation, in
	// YAML.
	SettingMoreURLs = "additionalUrls"
	// SettingOIDC is the OpenID Connect issuer, in YAML. See
	// docs/how-to/single-sign-on.md.
	SettingOIDC = "oidc.config"
	// SettingOIDCInsecure, set to true, accepts any certificate of the issuer.
	SettingOIDCInsecure = "oidc.tls.insecure.skip.verify"
	// SettingDex is not used, because the engine runs no Dex. If oidc.config is
	// missing, so that nobody can sign in with an issuer, a message says so.
	SettingDex = "dex.config"
	// SettingAccounts is the prefix of the keys of local accounts:
	// accounts.NAME lists what the account may use (login, apiKey), and
	// accounts.NAME.enabled, set to false, disables it.
	SettingAccounts = "accounts."
	// SettingAdmin, set to false, disables the account admin.
	SettingAdmin = "admin.enabled"
	// SettingPattern is the regular expression that a new password has to
	// match. See docs/how-to/browser.md.
	SettingPattern = "passwordPattern"
	// SettingAnonymous, set to true, gives people who have not signed in the
	// role policy.default of argocd-rbac-cm. See docs/how-to/browser.md.
	SettingAnonymous = "users.anonymous.enabled"
	// SettingSession is the lifetime of a session, such as 12h or 7d. See
	// docs/how-to/browser.md.
	SettingSession = "users.session.duration"
)

package breakout

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

const (
	noProject     = "add the namespace to spec.sourceNamespaces of the project"
	noSource      = "does not permit it; add it to spec.sourceRepos of the project"
	noDestination = "add the cluster and namespace to spec.destinations of the project"
	outside       = "is outside the repository"
	leaves        = "the path leaves the repository"
	noDash        = "cannot start with a dash"
	noScheme      = "is not allowed, http or https is"
)

// applications are attempts of who writes Applications, and their operations, in a namespace of red's.
func applications() map[string]attempt {
	out := map[string]attempt{}
	for _, some := range []map[string]attempt{specs(), repositories(), destinations(), sources(), operations(), statuses()} {
		maps.Copy(out, some)
	}
	return out
}

// specs name what is not red's.
func specs() map[string]attempt {
	return map[string]attempt{
		"ProjectOfBlue": {
			reason: "an Application is in whatever project it names",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Project, a.Spec.Destination.Namespace = "blue", blueNS },
			says:   []string{noProject},
		},
		"ProjectDefault": {
			reason: "the project that permits everything is everybody's",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Project = "default" },
			says:   []string{noProject},
		},
		"ProjectWithDots": {
			reason: "a project is read from wherever its name leads",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Project = "../appprojects/blue" },
			says:   []string{`cannot find AppProject "../appprojects/blue" in namespace argocd`},
		},
		"NameOfBlues": {
			reason: "two Applications of one name share what either has",
			files:  one(`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {version: red}}`),
			play: func(s *stage) {
				folder := s.name
				s.name = "shop"
				s.app = func(_ *stage, a *v1alpha1.Application) { a.Spec.Source.Path = folder }
				s.create()
				s.untilDone()
				s.remove()
			},
		},
		"DependsOnBlues": {
			reason: "to wait for another team's object tells what becomes of it",
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Annotations = map[string]string{"causeway.io/depends-on": `[{kind: ConfigMap, namespace: blue, name: by-hand}]`}
			},
			says: []string{"by-hand", "does not permit to look at"},
		},
		"DependsOnApplicationOfBlue": {
			reason: "to wait for another team's Application tells whether it is there, and how it does",
			play: func(s *stage) {
				waitsAlike(s, `[{kind: Application, namespace: blue-apps, name: $GUESS}]`, "shop", "shops", "Application/blue-apps/$GUESS cannot be depended on from here")
			},
		},
		"DependsOnAllOfBlues": {
			reason: "a selector lists the names of another team's Applications, with what they say",
			app:    dependsOn(`[{kind: Application, namespace: blue-apps}]`),
			says:   []string{"Application/blue-apps/* cannot be depended on from here: namespace blue-apps has none of project"},
		},
		"DependsOnSetOfTheOperator": {
			reason: "to wait for a set tells whether it is there, and how it does",
			play: func(s *stage) {
				waitsAlike(s, `[{kind: ApplicationSet, namespace: argocd, name: $GUESS}]`, "platform", "platforms", "ApplicationSet/argocd/$GUESS cannot be depended on from here")
			},
		},
		"DependsOnClusterOfBlue": {
			reason: "to wait for something on another team's cluster tells whether there is such a cluster, and its name",
			play: func(s *stage) {
				waitsAlike(s, `[{kind: ConfigMap, namespace: red, name: x, cluster: $GUESS}]`, "blues-cluster", "blues-clusters", "ConfigMap/red/x on cluster $GUESS: the project does not permit to look at it")
			},
		},
		"DependsOnClusterRole": {
			reason: "a kind that is not permitted is read where the namespace is",
			play: func(s *stage) {
				waitsAlike(s, `[{group: rbac.authorization.k8s.io, kind: ClusterRole, namespace: red, name: $GUESS}]`, "blue-readers", "blue-writers", "$GUESS: the project does not permit to look at it: cannot deploy rbac.authorization.k8s.io/ClusterRole")
			},
		},
		"DependsOnNamespaceOfBlue": {
			reason: "what has no namespace is in each that is permitted",
			play: func(s *stage) {
				waitsAlike(s, `[{kind: Namespace, namespace: red, name: $GUESS}]`, "blue", "bleu", "$GUESS: the project does not permit to look at it: cannot deploy /Namespace")
			},
		},
		"DependsOnAllNamespaces": {
			reason: "a selector lists what a name would not show",
			app:    dependsOn(`[{kind: Namespace, namespace: red}]`),
			says:   []string{"/*: the project does not permit to look at it: cannot deploy /Namespace"},
		},
		"DependsByManifest": {
			reason: "what an object says that it waits for is written by whoever writes files",
			files: map[string]string{"a.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: curious, annotations: {causeway.io/depends-on: "Application/blue-apps/shop, rbac.authorization.k8s.io/ClusterRole/blue-readers, Namespace/blue"}}}
`},
			says: []string{"Application/blue-apps/shop cannot be depended on from here", "does not permit to look at it"},
		},
		"RefreshOfBlue": {
			reason: "a refresh looks up a repository that is not red's, with its credential, and forgets what is known of it",
			play:   refreshes("red", noSource),
		},
		"RefreshOfBlueRoams": {
			reason:    "where all repositories are permitted, a refresh uses the credentials of others",
			anonymous: true,
			play:      refreshes("red-roams", "could not read Username for '$BLUE'"),
		},
		"ExpressionOfTheEnvironment": {
			reason: "an expression reads the engine's environment",
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{`.data[env.HOME]`}}}
			},
		},
		"ExpressionWithInput": {
			reason: "an expression reads what the engine is given",
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Spec.IgnoreDifferences = v1alpha1.IgnoreDifferences{{Kind: "ConfigMap", JQPathExpressions: []string{`.data[input]`}}}
			},
			says: []string{"input(s)/0 is not allowed"},
		},
		"CreateNamespaceElsewhere": {
			reason: "a namespace that is to be made is looked at after it was",
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Spec.Destination.Namespace = "green"
				a.Spec.SyncPolicy.SyncOptions = v1alpha1.SyncOptions{"CreateNamespace=true"}
			},
			says: []string{noDestination},
		},
	}
}

// dependsOn makes an Application wait.
func dependsOn(what string) func(*stage, *v1alpha1.Application) {
	return func(_ *stage, a *v1alpha1.Application) {
		a.Annotations = map[string]string{"causeway.io/depends-on": what}
	}
}

// waitsAlike makes an Application wait for something that is there, and then for something that is not: the answer is the
// same but for the name.
func waitsAlike(s *stage, what, there, absent, says string) {
	s.t.Helper()
	answer := func(guess string) string {
		s.app = dependsOn(strings.ReplaceAll(what, "$GUESS", guess))
		s.create()
		a := s.untilSays(strings.ReplaceAll(says, "$GUESS", guess))
		s.remove()
		text, _, _ := strings.Cut(a.Status.OperationState.Message, " (since ")
		return strings.ReplaceAll(text, guess, "$GUESS")
	}
	if a, b := answer(there), answer(absent); a != b {
		s.t.Errorf("lost: %s: of what is there it says %q, and of what is not %q", s.reason, a, b)
	}
}

// refreshes asks for hard refreshes of an Application that names blue's repository.
func refreshes(project, says string) func(*stage) {
	return func(s *stage) {
		s.t.Helper()
		ask := map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeHard)}
		s.app = func(s *stage, a *v1alpha1.Application) {
			a.Spec.Project, a.Spec.Source.RepoURL, a.Spec.Source.Path, a.Annotations = project, s.blue.repo(), "shop", ask
		}
		s.create()
		for range 3 {
			s.until(s.t, s.key(), "looked at", func(a *v1alpha1.Application) bool {
				_, asked := a.RefreshRequested()
				return !asked && strings.Contains(said(a), s.fill(says))
			})
			s.change(func(a *v1alpha1.Application) { a.Annotations = ask })
		}
		s.remove()
	}
}

// repositories are blue's, spelled in ways that a rule may not know and a host does.
func repositories() map[string]attempt {
	at := func(reason, from, to string, says ...string) attempt {
		return attempt{reason: reason, says: says, app: func(s *stage, a *v1alpha1.Application) {
			a.Spec.Source.RepoURL, a.Spec.Source.Path = strings.Replace(s.blue.repo(), from, s.fill(to), 1), "shop"
		}}
	}
	return map[string]attempt{
		"RepositoryOfBlue":    at("who names a repository gets its credential with it", "", "", noSource),
		"RepositoryCase":      at("the case of a scheme makes another address", "http://", "HTTP://", noSource),
		"RepositoryUser":      at("a user makes another address, with a credential of the Secret", "://", "://blue@", noSource),
		"RepositorySlash":     at("a slash at the end makes another address", "blue.git", "blue.git/", noSource),
		"RepositoryNoGit":     at("an address without .git is another one", "blue.git", "blue", noSource),
		"RepositoryDots":      at("dots lead to another repository than the rule has seen", "blue.git", "red.git/../blue.git", noSource),
		"RepositoryEncoded":   at("letters that are written as numbers make another address", "blue.git", "%62lue.git", noSource),
		"RepositoryHTTPS":     at("the same host by TLS has another rule", "http://", "https://", noSource),
		"RepositorySSH":       at("the same host by ssh has another rule", "http://", "ssh://git@", noSource),
		"RepositoryQuery":     at("what follows a question mark makes another address", "blue.git", "blue.git?x=red.git", noSource),
		"RepositoryLine":      at("a line break ends the address that a rule sees", "blue.git", "blue.git\nred.git", noSource),
		"RepositoryOption":    at("an address is an option of git", "http://", "--upload-pack=$TRAP;http://", noSource),
		"RepositoryTransport": at("a transport of git runs a program", "http://", "ext::$TRAP http://", noSource),
		"RepositoryFile": {
			reason: "a folder of the engine is a repository",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Project, a.Spec.Source.RepoURL, a.Spec.Source.Path = "red-roams", "file://"+s.blue.bare, "shop"
			},
			says: []string{"folders of the engine's machine are no repositories"},
		},
		"RepositoryRoams": {
			reason: "a project that permits all repositories has the credentials of all",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Project, a.Spec.Source.RepoURL, a.Spec.Source.Path = "red-roams", s.blue.repo(), "shop"
			},
			anonymous: true,
			says:      []string{"could not read Username for '$BLUE'"},
		},
		"RepositoryOptionRoams": {
			reason: "where all addresses are permitted, one is an option of git",
			app:    roams("--upload-pack=$TRAP;$RED/red.git"),
			says:   []string{noDash},
		},
		"RepositoryTransportRoams": {
			reason: "where all addresses are permitted, one is a transport of git that runs a program",
			app:    roams("ext::$TRAP $RED/red.git"),
			says:   []string{"remote helpers (name::address) are not allowed"},
		},
		"RepositoryHostRoams": {
			reason: "where all addresses are permitted, a host is an option of ssh",
			app:    roams("ssh://-oProxyCommand=$TRAP/red.git"),
			says:   []string{"the repository's address names no host"},
		},
		"RevisionOption": {
			reason: "a revision is an option of git",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Source.TargetRevision = "--upload-pack=" + s.trap
			},
			says: []string{noDash},
		},
	}
}

// roams names a repository in a project that permits all of them.
func roams(address string) func(*stage, *v1alpha1.Application) {
	return func(s *stage, a *v1alpha1.Application) {
		a.Spec.Project, a.Spec.Source.RepoURL = "red-roams", s.fill(address)
	}
}

// destinations are blue's, in each way to name one.
func destinations() map[string]attempt {
	to := func(reason, server, name, namespace string, says ...string) attempt {
		return attempt{reason: reason, says: says, app: func(s *stage, a *v1alpha1.Application) {
			a.Spec.Destination = v1alpha1.ApplicationDestination{Server: s.fill(server), Name: name, Namespace: namespace}
		}}
	}
	return map[string]attempt{
		"DestinationOfBlue":         to("who names a namespace deploys there", inCluster, "", blueNS, noDestination),
		"DestinationByName":         to("a cluster by its name has other rules", "", "in-cluster", blueNS, noDestination),
		"ClusterOfBlue":             to("a cluster of blue's project has the credential of whoever asks", "$HUB", "", redNS, noDestination),
		"ClusterOfBlueByName":       to("the same, by its name", "", "blues-cluster", redNS, noDestination),
		"DestinationTwice":          to("the name is held against the rules, and the server is used", "$HUB", "in-cluster", redNS, "the destination has both name"),
		"DestinationSpelled":        to("a server that is spelled otherwise has no rules", inCluster+":443/", "", blueNS, noDestination),
		"DestinationPattern":        to("a namespace that is a pattern is all that it matches", inCluster, "", "*", `cannot deploy to namespace "*"`, noDestination),
		"DestinationOfTheHub":       to("the engine's own namespace is a destination like others", inCluster, "", control, noDestination),
		"DestinationOfNamelessness": to("no namespace at all is each that a manifest names", inCluster, "", "", `cannot deploy to namespace ""`, noDestination),
	}
}

// sources are what one source takes from another, or from elsewhere.
func sources() map[string]attempt {
	chart := map[string]string{"Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}", "templates/a.yaml": harmless}
	values := func(reason, file string, says ...string) attempt {
		return attempt{reason: reason, says: says, files: chart, app: func(s *stage, a *v1alpha1.Application) {
			a.Spec.Source.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{s.fill(file)}}
		}}
	}
	return map[string]attempt{
		"SecondSource": {
			reason: "only the first of several sources is held against the project",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Sources = v1alpha1.ApplicationSources{*a.Spec.Source, {RepoURL: s.blue.repo(), Path: "shop", TargetRevision: "main"}}
				a.Spec.Source = nil
			},
			says: []string{noSource},
		},
		"ReferenceToBlue": {
			reason: "a source that only gives values is none",
			files:  chart,
			app: func(s *stage, a *v1alpha1.Application) {
				own := *a.Spec.Source
				own.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"$blue/shop/all.yaml"}}
				a.Spec.Sources, a.Spec.Source = v1alpha1.ApplicationSources{own, {RepoURL: s.blue.repo(), TargetRevision: "main", Ref: "blue"}}, nil
			},
			says: []string{noSource},
		},
		"ReferenceOutside": {
			reason: "a path behind a reference leads out of its repository",
			files:  chart,
			app: func(s *stage, a *v1alpha1.Application) {
				own := *a.Spec.Source
				own.Helm = &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"$own/../../../../../../etc/passwd"}}
				a.Spec.Sources, a.Spec.Source = v1alpha1.ApplicationSources{own, {RepoURL: s.red.repo(), TargetRevision: "main", Ref: "own"}}, nil
			},
			says: []string{leaves},
		},
		"ChartOfBlue": {
			reason: "charts have other rules than Git",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: s.blue.URL + "/charts", Chart: "shop", TargetRevision: "1.x"}
			},
			says: []string{noSource},
		},
		"ArtifactOfBlue": {
			reason: "registries have other rules than Git",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Source = &v1alpha1.ApplicationSource{RepoURL: strings.Replace(s.blue.URL, "http://", "oci://", 1) + "/shop", Path: ".", TargetRevision: "1.0.0"}
			},
			says: []string{noSource},
		},
		"ValuesByAddress":  values("values are fetched with the engine's network", "$BLUE/values.yaml", "cannot read value file $BLUE/values.yaml: host 127.0.0.1 is a private address"),
		"ValuesOutside":    values("values are a file of the engine", "../../../../../../etc/passwd", leaves),
		"ValuesAbsolute":   values("an absolute path is one of the machine", "/etc/passwd", "cannot find value file etc/passwd"),
		"ValuesFile":       values("a scheme reads what paths do not", "file:///etc/passwd", noScheme),
		"ValuesOfPrograms": values("a scheme of a plugin runs it", "secrets+age-import:///etc/passwd?x", noScheme),
		"PathOutside": {
			reason: "a path leads out of the repository",
			app:    func(_ *stage, a *v1alpha1.Application) { a.Spec.Source.Path = "../../blue" },
			says:   []string{outside},
		},
		"LibrariesOutside": {
			reason: "a library of jsonnet is anywhere",
			files:  map[string]string{"a.jsonnet": `import "passwd"`},
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Spec.Source.Directory = &v1alpha1.ApplicationSourceDirectory{Jsonnet: v1alpha1.ApplicationSourceJsonnet{Libs: []string{"../../../../../../etc"}}}
			},
			says: []string{"cannot use Jsonnet library folder", outside},
		},
		"KustomizeToBlue": {
			reason: "a namespace of the source is not the manifest's",
			files:  map[string]string{"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": harmless},
			app: func(_ *stage, a *v1alpha1.Application) {
				a.Spec.Source.Kustomize = &v1alpha1.ApplicationSourceKustomize{Namespace: blueNS}
			},
			says: []string{notThere},
		},
		"PluginOfNobody": {
			reason: "a plugin is a program that an Application names",
			app: func(s *stage, a *v1alpha1.Application) {
				a.Spec.Source.Plugin = &v1alpha1.ApplicationSourcePlugin{Name: "../../../../../.." + s.trap}
			},
			says: []string{"cannot render with a plugin: none is installed"},
		},
	}
}

// operations are what a sync can be asked for.
func operations() map[string]attempt {
	blues := func(s *stage) v1alpha1.ApplicationSource {
		return v1alpha1.ApplicationSource{RepoURL: s.blue.repo(), Path: "shop", TargetRevision: "main"}
	}
	return map[string]attempt{
		"OperationSource": {reason: "a sync brings a source of its own", says: []string{noSource}, play: asks(func(s *stage) v1alpha1.SyncOperation {
			source := blues(s)
			return v1alpha1.SyncOperation{Source: &source}
		})},
		"OperationSources": {reason: "a sync brings sources of its own", says: []string{noSource}, play: asks(func(s *stage) v1alpha1.SyncOperation {
			return v1alpha1.SyncOperation{Sources: v1alpha1.ApplicationSources{blues(s)}}
		})},
		"OperationRehearsal": {reason: "a dry run tells what is there", says: []string{noSource}, play: asks(func(s *stage) v1alpha1.SyncOperation {
			source := blues(s)
			return v1alpha1.SyncOperation{Source: &source, DryRun: true}
		})},
		"OperationManifests": {
			reason: "manifests come from no repository that a rule could name", says: []string{"permits some repositories alone"},
			app: func(_ *stage, a *v1alpha1.Application) { a.Spec.SyncPolicy = nil }, play: brings,
		},
		"OperationManifestsRoam": {
			reason: "manifests that a project permits are held against nothing else", says: []string{notThere},
			app: func(_ *stage, a *v1alpha1.Application) { a.Spec.Project, a.Spec.SyncPolicy = "red-roams", nil }, play: brings,
		},
		"OperationResources": {reason: "who selects objects need not have them", says: []string{"nothing to sync: the application has no /ConfigMap:blue/settings"}, play: asks(func(*stage) v1alpha1.SyncOperation {
			return v1alpha1.SyncOperation{Prune: true, Resources: []v1alpha1.SyncOperationResource{{Kind: "ConfigMap", Name: "settings", Namespace: blueNS}}}
		})},
		"OperationRevision": {reason: "a revision is an option of git", says: []string{noDash}, play: asks(func(s *stage) v1alpha1.SyncOperation {
			return v1alpha1.SyncOperation{Revision: "--upload-pack=" + s.trap}
		})},
		"OperationOptions": {reason: "options of a sync go past the project", play: asks(func(*stage) v1alpha1.SyncOperation {
			return v1alpha1.SyncOperation{SyncOptions: v1alpha1.SyncOptions{"CreateNamespace=true", "Replace=true", "Force=true", "Validate=false"}}
		})},
		"OperationOfTheEngine": {
			reason: "an operation that says the engine began it is believed",
			says:   []string{"causeway.io/ignored=initiatedBy.automated, initiatedBy.username, causeway.io/deletions-approved, causeway.io/seal"},
			play: forges(func(_ *stage, a *v1alpha1.Application) {
				a.Operation = &v1alpha1.Operation{
					Sync: &v1alpha1.SyncOperation{Prune: true}, InitiatedBy: v1alpha1.OperationInitiator{Automated: true, Username: v1alpha1.ApplicationSetInitiator},
					Info: []v1alpha1.Info{{Name: "causeway.io/rollback", Value: "0"}, {Name: "causeway.io/deletions-approved", Value: "9999"}, {Name: "causeway.io/seal", Value: strings.Repeat("0", 64)}},
				}
			}),
		},
	}
}

// statuses are forged: the status is no subresource, so that who writes an Application writes it as well.
func statuses() map[string]attempt {
	blues := v1alpha1.ResourceStatus{Version: "v1", Kind: "ConfigMap", Namespace: blueNS, Name: "settings", Status: v1alpha1.SyncStatusCodeSynced}
	return map[string]attempt{
		"ForgedHistory": {
			reason: "what a rollback brings back is what the status says there was",
			says:   []string{noSource},
			play: forges(func(s *stage, a *v1alpha1.Application) {
				blues := v1alpha1.ApplicationSource{RepoURL: s.blue.repo(), Path: "shop"}
				a.Status.History = v1alpha1.RevisionHistories{{ID: 7, Revision: "main", DeployedAt: v1alpha1.NewTime(time.Now()), Source: blues}}
				a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Revision: "main", Source: &blues}}
			}),
		},
		"ForgedResources": {
			reason: "what the status lists is deleted with the Application",
			play: forges(func(_ *stage, a *v1alpha1.Application) {
				pruned := blues
				pruned.Name, pruned.RequiresPruning = "by-hand", true
				a.Status.Resources = append(a.Status.Resources, blues, pruned)
				a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}}
			}),
		},
		"ForgedResult": {
			reason: "what a sync has done is cleaned up after it",
			play: forges(func(_ *stage, a *v1alpha1.Application) {
				st := a.Status.OperationState
				st.Phase, st.FinishedAt = v1alpha1.OperationTerminating, nil
				st.SyncResult.Resources = v1alpha1.ResourceResults{{Version: "v1", Kind: "ConfigMap", Namespace: blueNS, Name: "by-hand", HookType: "PreSync", HookPhase: v1alpha1.OperationRunning, SyncPhase: "PreSync"}}
				a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeNormal)}
			}),
			says: []string{"Failed: Operation terminated"},
		},
		"ForgedOperation": {
			reason: "an operation that runs already was permitted when it began",
			says:   []string{noSource},
			play: forges(func(s *stage, a *v1alpha1.Application) {
				began := v1alpha1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))
				a.Status.OperationState = &v1alpha1.OperationState{
					Phase: v1alpha1.OperationRunning, StartedAt: began,
					Operation: v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Source: &v1alpha1.ApplicationSource{RepoURL: s.blue.repo(), Path: "shop"}}},
				}
				a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeNormal)}
			}),
		},
		"ForgedTries": {
			reason: "a pause is counted up to a number of tries that nobody made, by each worker that there is",
			play: func(s *stage) {
				const all = 64 // more than there are workers
				for i := range all {
					s.name = fmt.Sprintf("forged-tries-%d", i)
					s.app = triedWithoutEnd
					s.create()
				}
				for i := range all { // a deletion is done by the same workers
					s.name = fmt.Sprintf("forged-tries-%d", i)
					s.remove()
				}
			},
		},
		"CopiedStatus": {
			reason: "a status with the engine's seal is believed of another Application",
			play: forges(func(s *stage, a *v1alpha1.Application) {
				its := &v1alpha1.Application{}
				if err := s.Get(s.t.Context(), shopKey, its); err != nil {
					s.t.Fatal(err)
				}
				a.Status = its.Status
				a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: string(v1alpha1.RefreshTypeNormal)}
				a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}}
			}),
		},
	}
}

// triedWithoutEnd says that its sync was tried as often as a number can say.
func triedWithoutEnd(_ *stage, a *v1alpha1.Application) {
	once, now := int64(1), v1alpha1.NewTime(time.Now().Truncate(time.Second))
	a.Spec.Source.Path, a.Spec.SyncPolicy = "honest", nil
	a.Status.OperationState = &v1alpha1.OperationState{
		Phase: v1alpha1.OperationRunning, StartedAt: now, FinishedAt: &now, RetryCount: math.MaxInt64,
		Operation: v1alpha1.Operation{
			Sync: &v1alpha1.SyncOperation{}, Retry: v1alpha1.RetryStrategy{Limit: -1, Backoff: &v1alpha1.Backoff{Duration: "1s", Factor: &once, MaxDuration: "1h"}},
		},
	}
}

// asks has an Application that synced ask for a sync.
func asks(operation func(*stage) v1alpha1.SyncOperation) func(*stage) {
	return forges(func(s *stage, a *v1alpha1.Application) {
		sync := operation(s)
		a.Operation = &v1alpha1.Operation{Sync: &sync}
	})
}

// forges changes an Application that synced.
func forges(change func(*stage, *v1alpha1.Application)) func(*stage) {
	return func(s *stage) {
		s.create()
		s.untilDone()
		s.change(func(a *v1alpha1.Application) { change(s, a) })
		s.answered()
		s.remove()
	}
}

// brings has an Application that is synced by hand bring a manifest for blue.
func brings(s *stage) {
	s.create()
	s.until(s.t, s.key(), "compared", func(a *v1alpha1.Application) bool { return a.Status.Sync.Status == v1alpha1.SyncStatusCodeOutOfSync })
	s.change(func(a *v1alpha1.Application) {
		a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Manifests: []string{`{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: blue}}`}}}
	})
	s.answered()
	s.remove()
}

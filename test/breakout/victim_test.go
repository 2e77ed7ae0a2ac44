package breakout

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
)

// platform is what the operator has made. Both accounts of teams may do everything: what holds red back is the project.
const platform = `{apiVersion: v1, kind: Namespace, metadata: {name: argocd}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: causeway, namespace: argocd}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: blues-cluster, namespace: argocd}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: argocd-cm, namespace: argocd}, data: {application.sync.impersonation.enabled: "true"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: everything}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {kind: ServiceAccount, namespace: argocd, name: causeway}
- {kind: ServiceAccount, namespace: argocd, name: blues-cluster}
- {kind: ServiceAccount, namespace: red, name: deployer}
- {kind: ServiceAccount, namespace: blue, name: deployer}`

// team is a team's namespaces, account and project.
func team(name string, h *host) string {
	return `{apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `-apps}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: deployer, namespace: ` + name + `}}
---
` + project(name, name, "[\""+h.repo()+"\"]", "[]")
}

// project is an AppProject of a team.
func project(name, team, repos, clusterKinds string) string {
	return `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: {name: ` + name + `, namespace: argocd}
spec:
  sourceRepos: ` + repos + `
  sourceNamespaces: [` + team + `-apps]
  destinations: [{server: "https://kubernetes.default.svc", namespace: ` + team + `}]
  clusterResourceWhitelist: ` + clusterKinds + `
  destinationServiceAccounts: [{server: "https://kubernetes.default.svc", namespace: "*", defaultServiceAccount: "` + team + `:deployer"}]`
}

// private is what blue has besides: credentials of its repository and of a cluster, and objects that nobody deploys. Red
// has two more projects: one that permits all repositories, and one that permits definitions.
func (b *bed) private() string {
	return `{apiVersion: v1, kind: Secret, metadata: {name: blue-repo, namespace: argocd, labels: {argocd.argoproj.io/secret-type: repository}},
 stringData: {type: git, url: "$BLUE/blue.git", username: blue, password: ` + bluesPassword + `, project: blue}}
---
{apiVersion: v1, kind: Secret, metadata: {name: blues-cluster, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}},
 stringData: {name: blues-cluster, server: "$HUB", project: blue, config: '{"bearerToken": "` + b.token(control, "blues-cluster") + `", "tlsClientConfig": {"insecure": true}}'}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: by-hand, namespace: blue}, data: {version: "1"}}
---
{apiVersion: v1, kind: Secret, metadata: {name: private, namespace: blue}, stringData: {password: hunter2}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: blue-readers}, rules: []}
---
{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: platform, namespace: argocd},
 spec: {generators: [{list: {elements: []}}], template: {metadata: {name: none}, spec: {project: default, destination: {}}}}}
---
{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: stands, namespace: argocd},
 spec: {generators: [{list: {elements: [{name: stand}]}}], template: {metadata: {name: "{{name}}"}, spec: ` + bluesOf("stand") + `}}}
---
{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: till, namespace: argocd}, spec: ` + bluesOf("till") + `}
---
{apiVersion: causeway.io/v1alpha1, kind: ClusterSource, metadata: {name: red-clusters, namespace: argocd},
 spec: {secrets: {namespaces: [red], selector: {matchLabels: {kubeconfig: "yes"}}}, clusterName: $(name), copyLabels: [tier], project: red}}
---
{apiVersion: v1, kind: Secret, metadata: {name: red-cluster, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}},
 stringData: {name: red-cluster, server: "https://red-cluster.test", project: red}}
---
{apiVersion: causeway.io/v1alpha1, kind: ClusterMetadata, metadata: {name: red-values, namespace: argocd},
 spec: {clusters: {names: [red-cluster]}, values: [{key: tier, optional: true, from: {secret: {name: red-values, key: tier, reveal: true}}}]}}
---
` + project("red-roams", "red", `["*"]`, "[]") + `
---
` + project("red-defines", "red", `["`+b.red.repo()+`"]`, "[{group: apiextensions.k8s.io, kind: CustomResourceDefinition}]")
}

// shop is what blue deploys.
const shop = `apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {version: "1"}
---
apiVersion: v1
kind: Secret
metadata: {name: password}
stringData: {password: hunter2}
---
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {ports: [{port: 80}], selector: {app: none}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: prepare, annotations: {argocd.argoproj.io/hook: PreSync, argocd.argoproj.io/hook-delete-policy: HookSucceeded}}
data: {version: "1"}`

// bluesOf is the spec of an Application of blue's in the control namespace.
func bluesOf(folder string) string {
	return `{project: blue, source: {repoURL: "$BLUE/blue.git", path: ` + folder + `, targetRevision: main},
 destination: {server: "https://kubernetes.default.svc", namespace: blue}, syncPolicy: {automated: {}}}`
}

// simple is what such an Application deploys.
func simple(name string) string {
	return `{apiVersion: v1, kind: ConfigMap, metadata: {name: ` + name + `}, data: {version: "1"}}`
}

// opens waits until blue's Applications in the control namespace, of which a set has one, are well, and the set says so.
func (b *bed) opens(t *testing.T) {
	t.Helper()
	for _, name := range []string{"till", "stand"} {
		b.until(t, client.ObjectKey{Namespace: control, Name: name}, "Synced and Healthy", well)
	}
	embeddedtest.Eventually(t, func(ctx context.Context) error {
		set := &v1alpha1.ApplicationSet{}
		if err := b.Get(ctx, client.ObjectKey{Namespace: control, Name: "stands"}, set); err != nil {
			return err
		}
		made := set.Status.Resources
		if len(made) != 1 || made[0].Status != v1alpha1.SyncStatusCodeSynced || made[0].Health == nil || made[0].Health.Status != v1alpha1.HealthStatusHealthy {
			return fmt.Errorf("the set does not say that what it made is well: %+v", made)
		}
		return nil
	})
}

// victim is blue's Application.
const victim = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: blue-apps, finalizers: [resources-finalizer.argocd.argoproj.io]}
spec:
  project: blue
  source: {repoURL: "$BLUE/blue.git", path: shop, targetRevision: main}
  destination: {server: "https://kubernetes.default.svc", namespace: blue}
  syncPolicy: {automated: {prune: true, selfHeal: true}}`

var shopKey = client.ObjectKey{Namespace: blueApps, Name: "shop"}

// syncs waits until the victim has synced once more.
func (b *bed) syncs(t *testing.T) {
	t.Helper()
	a := b.until(t, shopKey, "Synced and Healthy", well)
	before := a.DeepCopy()
	a.Operation = &v1alpha1.Operation{Sync: &v1alpha1.SyncOperation{Prune: true}, Info: []v1alpha1.Info{{Name: "after", Value: t.Name()}}}
	if err := b.Patch(t.Context(), a, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
	b.until(t, shopKey, "Synced by a sync that follows", func(a *v1alpha1.Application) bool {
		info := a.Status.OperationState.Operation.Info
		return a.Operation == nil && len(info) > 0 && info[0].Value == t.Name() && well(a) && !slices.ContainsFunc(a.Status.Resources, func(r v1alpha1.ResourceStatus) bool { return r.Hook })
	})
}

// fault reports whether a condition is more than a warning of objects that others have marked as the victim's.
func fault(c v1alpha1.ApplicationCondition) bool {
	return c.Type != v1alpha1.ApplicationConditionForeignResourceWarning
}

func well(a *v1alpha1.Application) bool {
	return a.Status.Sync.Status == v1alpha1.SyncStatusCodeSynced && a.Status.Health.Status == v1alpha1.HealthStatusHealthy && !slices.ContainsFunc(a.Status.Conditions, fault) &&
		a.Status.OperationState != nil && a.Status.OperationState.Phase == v1alpha1.OperationSucceeded
}

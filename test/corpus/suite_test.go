package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/causeway-gitops/causeway/internal/gitops"
	"github.com/causeway-gitops/causeway/internal/source"
)

// suite is one repository and how its README has it installed.
type suite struct {
	// name is its folder in the corpus, and of its clusters in the conformance data.
	name string
	// bootstrap are the files that a user applies by hand, relative to the corpus.
	bootstrap []string
	// notes are annotations that the made-up clusters have otherwise, or lack.
	notes map[string]string
	// like is another repository whose made-up clusters have the metadata that these lack.
	like string
	// exceptions are all Applications and sets that cannot become healthy.
	exceptions []exception
	// metadata is a change of a cluster while all runs.
	metadata change
	// commit is a change of a file while all runs.
	commit commit
}

// exception says why what matches a pattern is not Synced and Healthy.
type exception struct {
	pattern string // see path.Match
	reason  string // for people
	says    string // is part of a condition or of the operation's message
}

type layer struct{ app, path, want string }

// change is a new annotation of a cluster.
type change struct{ cluster, key, value string }

// commit writes files of values into a repository.
type commit struct {
	repo   string
	files  map[string]string
	layers []layer
}

const (
	example  = "gitops-bridge-dev__gitops-bridge/argocd/iac/terraform/examples/eks/multi-cluster/hub-spoke/hub/bootstrap/"
	dokaseca = "thatmlopsguy__dokaseca-control-plane/terraform/hub-spoke/hub/bootstrap/"
)

// Reasons that several repositories share.
var (
	literalValues    = exception{"addon-*", "helm.values hold a {{placeholder}} that the cluster's metadata lacks, without quotes: no YAML that Helm reads", "invalid map key"}
	literalNamespace = exception{"addon-*", "the destination's namespace is a {{placeholder}} that the cluster's metadata lacks", `cannot apply /Namespace:/{{metadata.annotations.`}
	sharedArgoCD     = exception{"addon-*-argo-cd", "two sets install the chart argo-cd under one release name into one namespace", "SharedResourceWarning"}
	sharedWorkflows  = exception{"addon-*-argo-workflows", "two sets install the chart argo-workflows under one release name into one namespace", "SharedResourceWarning"}
	setsOfOneName    = exception{"*-addons", "two of its sets make Applications of the same names: one of the two fails", "ApplicationSet addons-aws-argocd-"}
	setsOfEnvoy      = exception{"addons", "two of its sets make Applications of the same names: one of the two fails", "ApplicationSet addons-envoy"}
	noFolders        = exception{"cluster-*", "the repository has no folder environments/<cluster>", "cannot find path environments/"}
)

var suites = []suite{
	{
		name:      "gitops-bridge-dev__gitops-bridge-argocd-control-plane-template",
		bootstrap: []string{"gitops-bridge-dev__gitops-bridge-argocd-control-plane-template/bootstrap/control-plane/exclude/bootstrap.yaml"},
		notes:     map[string]string{"addons_repo_basepath": "", "addons_repo_path": "bootstrap/control-plane"},
		exceptions: []exception{
			literalValues, literalNamespace, sharedArgoCD, sharedWorkflows,
			setsOfOneName, noFolders,
		},
		metadata: change{"spoke-dev", "aws_region", "us-west-2"},
	},
	{
		name:      "gitops-bridge-dev__kubecon-2024-eu-argocon",
		bootstrap: []string{"gitops-bridge-dev__kubecon-2024-eu-argocon/terraform/bootstrap/bootstrap.yaml"},
		notes:     map[string]string{"addons_repo_path": "bootstrap"},
		exceptions: []exception{
			literalValues, literalNamespace,
			{"cluster-addons", "all clusters give Applications app-team-1 to 10: once there are spokes, they stay on the hub and are not updated", "ApplicationSet apps is Degraded"},
			{"platform-*-karpenter", "nobody installs the definitions of Karpenter: its chart is a stand-in", "does not serve this kind"},
			{"platform-*-argo-workflows", "nobody installs the definitions of Argo Workflows: its chart is a stand-in", "does not serve this kind"},
		},
	},
	{
		name:      "gitops-bridge-dev__gitops-bridge",
		bootstrap: []string{example + "addons.yaml", example + "workloads.yaml"},
		like:      "gitops-bridge-dev__gitops-bridge-argocd-control-plane-template",
		notes: map[string]string{
			"addons_repo_url":      "https://github.com/gitops-bridge-dev/gitops-bridge-argocd-control-plane-template",
			"addons_repo_basepath": "", "addons_repo_path": "bootstrap/control-plane/addons", "addons_repo_revision": "main",
			"workload_repo_url":      "https://github.com/argoproj/argocd-example-apps",
			"workload_repo_basepath": "", "workload_repo_path": "helm-guestbook", "workload_repo_revision": "HEAD",
		},
		exceptions: []exception{literalValues, literalNamespace, sharedArgoCD, sharedWorkflows, setsOfOneName},
	},
	{
		name:      "thatmlopsguy__dokaseca-addons",
		bootstrap: []string{dokaseca + "addons.yaml", dokaseca + "workloads.yaml"},
		notes: map[string]string{
			"addons_repo_basepath": "argocd", "addons_repo_path": "appsets",
			"workloads_repo_url":      "https://github.com/thatmlopsguy/gitops-bridge",
			"workloads_repo_basepath": "dokaseca-workloads", "workloads_repo_path": "argocd/workloads", "workloads_repo_revision": "main",
		},
		exceptions: []exception{
			literalValues, setsOfEnvoy,
			{"addon-*-azure-service-operator", "its helm.values are a text, key='value', and no mapping", "cannot read helm.values"},
			{"addon-*-backstage", "the corpus has data files alone, and this folder has none", "cannot find path kustomize/backstage"},
			{"addon-*-gateway-api", "the repository has no folder for the version that prod wants", "cannot find path kustomize/gateway-api/v1.2.1"},
		},
		commit: commit{
			repo: "https://github.com/thatmlopsguy/dokaseca-addons",
			files: map[string]string{
				"configs/addons/environments/dev/cert-manager/values.yaml":                  "replicaCount: 2\nlayer: {of: dev, last: environment}\n",
				"configs/addons/cluster_name/standalone-dev-local/cert-manager/values.yaml": "replicaCount: 3\nlayer: {last: cluster}\n",
			},
			layers: []layer{
				{"addon-standalone-prod-local-cert-manager", "replicaCount", "1"},
				{"addon-hub-cert-manager", "replicaCount", "2"},
				{"addon-hub-cert-manager", "layer/last", "environment"},
				{"addon-standalone-dev-local-cert-manager", "replicaCount", "3"},
				{"addon-standalone-dev-local-cert-manager", "layer/last", "cluster"},
				{"addon-standalone-dev-local-cert-manager", "layer/of", "dev"},
				{"addon-standalone-dev-local-cert-manager", "crds/enabled", "true"},
			},
		},
	},
}

// manifests reads what a user applies by hand.
func (s suite) manifests(root string) ([]gitops.Manifest, error) {
	var out []gitops.Manifest
	for _, file := range s.bootstrap {
		objects, err := readObjects(filepath.Join(root, "corpus", file))
		if err != nil {
			return nil, fmt.Errorf("cannot read bootstrap manifests: %w", err)
		}
		for _, o := range objects {
			out = append(out, gitops.Manifest{Object: o, Origin: gitops.Origin{File: file}})
		}
	}
	return out, nil
}

// organisations makes a folder for each owner of repositories in the corpus, with a link for each of them, and returns
// the mirrors that serve all repositories of those owners.
func organisations(root, dir string) ([]source.Mirror, error) {
	entries, err := os.ReadDir(filepath.Join(root, "corpus"))
	if err != nil {
		return nil, err
	}
	var out []source.Mirror
	seen := map[string]bool{}
	for _, e := range entries {
		owner, repo, ok := strings.Cut(e.Name(), "__")
		if !ok || !e.IsDir() {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, owner), 0o755); err != nil {
			return nil, err
		}
		if err := os.Symlink(filepath.Join(root, "corpus", e.Name()), filepath.Join(dir, owner, repo)); err != nil {
			return nil, err
		}
		if !seen[owner] {
			seen[owner] = true
			out = append(out, source.Mirror{URL: "https://github.com/" + owner, Path: filepath.Join(dir, owner)})
		}
	}
	return out, nil
}

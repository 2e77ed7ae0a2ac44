package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A made-up fleet repository: addons on clusters, of charts and kustomizations.
const (
	fleetURL      = "https://git.example.com/platform/fleet.git"
	fleetClusters = 50
	fleetSeed     = 42
	// Of five addons three are charts.
	chartsOfFive = 3
)

var environments = []string{"dev", "staging", "prod"}

// repository is a Git checkout of a fleet.
type repository struct {
	dir    string
	addons int
	random *rand.Rand
}

// newRepository writes a repository of apps applications on 50 clusters and
// commits it. The same numbers give the same repository.
func newRepository(ctx context.Context, apps int) (*repository, error) {
	dir, err := os.MkdirTemp("", "causeway-bench-repo-")
	if err != nil {
		return nil, err
	}
	r := &repository{dir: dir, addons: max(1, apps/fleetClusters), random: rand.New(rand.NewPCG(fleetSeed, uint64(apps)))} //nolint:gosec // the same numbers must give the same repository
	if err := r.files(); err != nil {
		return r, err
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"remote", "add", "origin", fleetURL}} {
		if err := r.git(ctx, args...); err != nil {
			return r, err
		}
	}
	return r, r.commit(ctx, "the fleet")
}

func (r *repository) remove() { _ = os.RemoveAll(r.dir) }

func (r *repository) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.dir, "-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "gc.auto=0"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", args[0], err, out)
	}
	return nil
}

func (r *repository) commit(ctx context.Context, message string) error {
	if err := r.git(ctx, "add", "-A"); err != nil {
		return err
	}
	return r.git(ctx, "commit", "-q", "-m", message)
}

func (r *repository) write(name, text string) error {
	path := filepath.Join(r.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// edit replaces text in every file below a folder whose name ends so.
func (r *repository) edit(below, suffix, old, text string) error {
	return filepath.WalkDir(filepath.Join(r.dir, below), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		data, err := os.ReadFile(path) //nolint:gosec // the bench wrote the folder itself
		if err != nil {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, text)), 0o600) //nolint:gosec // as above
	})
}

func cluster(i int) string     { return fmt.Sprintf("c%03d", i) }
func environment(i int) string { return environments[i%len(environments)] }
func addon(i int) string       { return fmt.Sprintf("addon%02d", i) }
func isChart(i int) bool       { return i%5 < chartsOfFive }

func (r *repository) files() error {
	for i := range fleetClusters {
		if err := r.write("clusters/"+cluster(i)+".yaml", secretOf(i)); err != nil {
			return err
		}
	}
	for i := range r.addons {
		if err := r.addon(i); err != nil {
			return err
		}
	}
	return nil
}

func secretOf(i int) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Secret
metadata:
  name: %[1]s
  namespace: argocd
  labels: {argocd.argoproj.io/secret-type: cluster, environment: %[2]s}
  annotations: {region: r%[3]d}
stringData: {name: %[1]s, server: "https://%[1]s.example.com"}
`, cluster(i), environment(i), i%4)
}

func (r *repository) addon(i int) error {
	if !isChart(i) {
		return r.kustomization(i)
	}
	name := addon(i)
	files := map[string]string{
		"sets/" + name + ".yaml":         fmt.Sprintf(chartSet, name, fleetURL),
		"charts/" + name + "/Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: 1.%d.0\nappVersion: \"2.%d\"\n", name, i, i),
		"charts/" + name + "/values.yaml": fmt.Sprintf("replicas: %d\nimage: {repository: registry.example.com/%s, tag: \"1.%d\"}\nconfig: {level: info, size: %d}\nresources: {limits: {memory: 64Mi}}\n",
			1+r.random.IntN(3), name, i, r.random.IntN(100)),
		"charts/" + name + "/templates/_helpers.tpl":    fmt.Sprintf(chartHelpers, name),
		"charts/" + name + "/templates/workload.yaml":   strings.ReplaceAll(chartWorkload, "NAME", name),
		"charts/" + name + "/templates/service.yaml":    strings.ReplaceAll(chartService, "NAME", name),
		"charts/" + name + "/templates/configmap.yaml":  strings.ReplaceAll(chartConfig, "NAME", name),
		"charts/" + name + "/templates/serviceacc.yaml": strings.ReplaceAll(chartAccount, "NAME", name),
	}
	for _, e := range environments {
		files["values/"+e+"/"+name+".yaml"] = fmt.Sprintf("replicas: %d\nconfig: {level: %s}\n", 1+r.random.IntN(5), e)
	}
	return r.writeAll(files)
}

func (r *repository) kustomization(i int) error {
	name := addon(i)
	files := map[string]string{
		"sets/" + name + ".yaml":                         fmt.Sprintf(kustomizeSet, name, fleetURL),
		"kustomize/" + name + "/base/kustomization.yaml": "resources: [workload.yaml, service.yaml, account.yaml]\nconfigMapGenerator:\n- {name: config, literals: [level=info]}\n",
		"kustomize/" + name + "/base/workload.yaml":      strings.ReplaceAll(baseWorkload, "NAME", name),
		"kustomize/" + name + "/base/service.yaml":       strings.ReplaceAll(baseService, "NAME", name),
		"kustomize/" + name + "/base/account.yaml":       "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: " + name + "}\n",
	}
	for _, e := range environments {
		files["kustomize/"+name+"/"+e+"/kustomization.yaml"] = fmt.Sprintf(
			"resources: [../base]\nlabels:\n- {pairs: {environment: %s}}\npatches:\n- patch: |\n    - {op: replace, path: /spec/replicas, value: %d}\n  target: {kind: Deployment}\n", e, 1+r.random.IntN(5))
	}
	return r.writeAll(files)
}

func (r *repository) writeAll(files map[string]string) error {
	for name, text := range files {
		if err := r.write(name, text); err != nil {
			return err
		}
	}
	return nil
}

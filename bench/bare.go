package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"
	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	helmengine "helm.sh/helm/v4/pkg/engine"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// bareRenders renders each application of the repository once with nothing
// but the libraries of Helm and Kustomize, on all processors: what any tool
// that renders has to spend.
func bareRenders(ctx context.Context, r *repository) (time.Duration, error) {
	start := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range r.addons {
		for c := range fleetClusters {
			g.Go(func() error {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if isChart(i) {
					return bareChart(r.dir, addon(i), environment(c), c)
				}
				return bareKustomization(filepath.Join(r.dir, "kustomize", addon(i), environment(c)))
			})
		}
	}
	err := g.Wait()
	return time.Since(start), err
}

func bareChart(dir, name, env string, c int) error {
	ch, err := loader.LoadDir(filepath.Join(dir, "charts", name))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(dir, "values", env, name+".yaml"))
	if err != nil {
		return err
	}
	values := map[string]any{}
	if err := yaml.Unmarshal(text, &values); err != nil {
		return err
	}
	values["region"] = fmt.Sprintf("r%d", c%4)
	release := common.ReleaseOptions{Name: name, Namespace: name, IsInstall: true, Revision: 1}
	all, err := util.ToRenderValues(ch, values, release, common.DefaultCapabilities)
	if err != nil {
		return err
	}
	out, err := helmengine.Render(ch, all)
	if err != nil {
		return err
	}
	return parsed(out)
}

// parsed reads what was rendered as objects: a tool that compares them must.
func parsed(files map[string]string) error {
	for name, text := range files {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func bareKustomization(dir string) error {
	o := krusty.MakeDefaultOptions()
	o.LoadRestrictions = types.LoadRestrictionsRootOnly
	out, err := krusty.MakeKustomizer(o).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return err
	}
	for _, resource := range out.Resources() {
		if _, err := resource.Map(); err != nil {
			return err
		}
	}
	return nil
}

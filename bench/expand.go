package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/generate"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

const expandClusters = 500

// expansions measures sets × clusters by merge, at three sizes: the cost of
// one combination must not grow with their number.
func (b *bench) expansions(ctx context.Context) error {
	b.out = newTable(fmt.Sprintf("expansion: sets × %d clusters, by merge", expandClusters))
	var one time.Duration
	for _, sets := range []int{50, 100, 200} {
		start := time.Now()
		n, err := expand(ctx, sets)
		if err != nil {
			return err
		}
		wall := time.Since(start)
		each := wall / time.Duration(n)
		if one == 0 {
			one = each
		}
		b.out.row(fmt.Sprintf("%d sets, %d applications", sets, n), seconds(wall), fmt.Sprintf("%s each, %.2f× the smallest size", each.Round(100*time.Nanosecond), each.Seconds()/one.Seconds()))
	}
	fmt.Print(b.out)
	return nil
}

func expand(ctx context.Context, sets int) (applications int, err error) {
	g := generate.New(manyClusters(expandClusters), noSnapshots{}, allProjects{})
	for i := range sets {
		out, err := g.Applications(ctx, mergeSet(i))
		if err != nil {
			return 0, err
		}
		applications += len(out.Applications)
	}
	return applications, nil
}

// mergeSet merges all clusters with the production ones, which have another
// version.
func mergeSet(i int) *v1alpha1.ApplicationSet {
	name := fmt.Sprintf("set%03d", i)
	clusters := func(selector map[string]string, version string) v1alpha1.ApplicationSetNestedGenerator {
		return v1alpha1.ApplicationSetNestedGenerator{Clusters: &v1alpha1.ClusterGenerator{
			Selector: metav1.LabelSelector{MatchLabels: selector}, Values: map[string]string{"version": version, "addon": name},
		}}
	}
	set := &v1alpha1.ApplicationSet{}
	set.Name, set.Namespace = name, "argocd"
	set.Spec.Generators = []v1alpha1.ApplicationSetGenerator{{Merge: &v1alpha1.MergeGenerator{
		MergeKeys:  []string{"server"},
		Generators: []v1alpha1.ApplicationSetNestedGenerator{clusters(map[string]string{"addons": "true"}, "1.0.0"), clusters(map[string]string{"environment": "prod"}, "0.9.0")},
	}}}
	set.Spec.Template.Name = "{{values.addon}}-{{name}}"
	set.Spec.Template.Labels = map[string]string{"environment": "{{metadata.labels.environment}}", "addon": "{{values.addon}}"}
	set.Spec.Template.Spec = v1alpha1.ApplicationSpec{
		Project: "default",
		Source: &v1alpha1.ApplicationSource{
			RepoURL: "{{metadata.annotations.repo}}", Path: "charts/{{values.addon}}", TargetRevision: "{{values.version}}",
			Helm: &v1alpha1.ApplicationSourceHelm{ValueFiles: []string{"values/{{metadata.labels.environment}}.yaml"}},
		},
		Destination: v1alpha1.ApplicationDestination{Server: "{{server}}", Namespace: name},
	}
	return set
}

type manyClusters int

func (n manyClusters) Clusters(context.Context) ([]gitops.Cluster, error) {
	out := make([]gitops.Cluster, n)
	for i := range out {
		out[i] = gitops.Cluster{
			Name: cluster(i), Server: "https://" + cluster(i) + ".example.com", Secret: cluster(i),
			Labels:      map[string]string{"addons": "true", "environment": environment(i)},
			Annotations: map[string]string{"repo": fleetURL, "region": fmt.Sprintf("r%d", i%4)},
		}
	}
	return out, nil
}

type noSnapshots struct{}

func (noSnapshots) Snapshot(context.Context, gitops.SourceRef) (*gitops.Snapshot, error) {
	return nil, errors.New("the sets read no repository")
}

type allProjects struct{}

func (allProjects) HasProject(context.Context, string) (bool, error) { return true, nil }

package generate

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

// scale is a fleet of the size that is aimed for.
const scaleClusters = 500

// addonSets are as many sets as an addon repository has, one for each addon.
func addonSets(tb testing.TB, text string, n int) []*v1alpha1.ApplicationSet {
	tb.Helper()
	out := make([]*v1alpha1.ApplicationSet, n)
	for i := range out {
		out[i] = parseSet(tb, strings.ReplaceAll(text, "metrics-server", fmt.Sprintf("addon-%03d", i)))
	}
	return out
}

// matrixSet is one set with n addons for each cluster.
func matrixSet(tb testing.TB, text string, n int) *v1alpha1.ApplicationSet {
	tb.Helper()
	var elements []string
	for i := range n {
		elements = append(elements, fmt.Sprintf("{addon: addon-%03d}", i))
	}
	head, tail, _ := strings.Cut(text, "  - merge:")
	_, tail, _ = strings.Cut(tail, "  template:")
	generators := "  - matrix: {generators: [{list: {elements: [" + strings.Join(elements, ", ") + "]}}, {clusters: {selector: {matchLabels: {enable_metrics_server: \"true\"}}, values: {addonChart: '{{addon}}', addonChartVersion: 1.0.0, addonChartRepository: https://charts.example.com}}}]}\n"
	if strings.Contains(text, "goTemplate: true") {
		generators = strings.ReplaceAll(generators, "{{addon}}", "{{.addon}}")
	}
	return parseSet(tb, head+generators+"  template:"+tail)
}

// BenchmarkScale shows that expansion grows with the number of Applications:
// each size has twice as many as the one before, up to 100,000.
func BenchmarkScale(b *testing.B) {
	g := New(fleetOf(scaleClusters), fakeRepos{}, anyProject{}, WithLimits(Limits{Applications: 200_000, Held: 8 << 30})) // one set has all of them
	for _, mode := range []struct{ name, text string }{{"fast", addonFast}, {"go", addonGo}} {
		for _, n := range []int{50, 100, 200} {
			sets := addonSets(b, mode.text, n)
			b.Run(fmt.Sprintf("merge/%s/%dx%d", mode.name, n, scaleClusters), func(b *testing.B) { expandAll(b, g, sets, n*scaleClusters) })
			one := []*v1alpha1.ApplicationSet{matrixSet(b, mode.text, n)}
			b.Run(fmt.Sprintf("matrix/%s/%dx%d", mode.name, n, scaleClusters), func(b *testing.B) { expandAll(b, g, one, n*scaleClusters) })
		}
	}
}

func expandAll(b *testing.B, g *Generator, sets []*v1alpha1.ApplicationSet, want int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		for _, set := range sets {
			exp, err := g.Applications(context.Background(), set)
			if err != nil {
				b.Fatal(err)
			}
			got += len(exp.Applications)
		}
		if got != want {
			b.Fatalf("%d Applications, want %d", got, want)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(want), "µs/app")
}

// BenchmarkTenThousandClusters is one set over 10,000 clusters: what is
// expanded anew, and compared with what is there, for a label of one of them.
func BenchmarkTenThousandClusters(b *testing.B) {
	for _, clusters := range []int{2_500, 5_000, 10_000} {
		for _, mode := range []struct{ name, text string }{{"fast", addonFast}, {"go", addonGo}} {
			b.Run(fmt.Sprintf("%s/%d", mode.name, clusters), func(b *testing.B) { expandAndCompare(b, clusters, parseSet(b, mode.text)) })
		}
	}
}

func expandAndCompare(b *testing.B, clusters int, set *v1alpha1.ApplicationSet) {
	b.Helper()
	g := New(fleetOf(clusters), fakeRepos{}, anyProject{})
	live, err := g.Applications(context.Background(), set)
	if err != nil {
		b.Fatal(err)
	}
	for i := range live.Applications {
		live.Applications[i].Status = lived()
	}
	b.ReportAllocs()
	for b.Loop() {
		exp, err := g.Applications(context.Background(), set)
		if err != nil {
			b.Fatal(err)
		}
		changes, err := Plan(b.Context(), set, live.Applications, exp)
		if err != nil || len(changes.Create)+len(changes.Update)+len(changes.Delete) > 0 {
			b.Fatalf("the same gives %d, %d and %d changes: %v", len(changes.Create), len(changes.Update), len(changes.Delete), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(clusters), "µs/cluster")
}

// lived is the status of an Application that has been there for a while.
func lived() v1alpha1.ApplicationStatus {
	const objects, syncs = 10, 10
	out := v1alpha1.ApplicationStatus{OperationState: &v1alpha1.OperationState{SyncResult: &v1alpha1.SyncOperationResult{}}}
	for i := range objects {
		name := fmt.Sprintf("object-%d", i)
		out.Resources = append(out.Resources, v1alpha1.ResourceStatus{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "kube-system", Name: name})
		out.OperationState.SyncResult.Resources = append(out.OperationState.SyncResult.Resources, v1alpha1.ResourceResult{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "kube-system", Name: name})
	}
	for i := range syncs {
		out.History = append(out.History, v1alpha1.RevisionHistory{ID: int64(i), Source: v1alpha1.ApplicationSource{RepoURL: "https://charts.example.com", Helm: &v1alpha1.ApplicationSourceHelm{ReleaseName: "metrics-server"}}})
	}
	return out
}

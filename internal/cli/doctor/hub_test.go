package doctor

import (
	"net/http"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/cli/clitest"
	"github.com/causeway-gitops/causeway/internal/cli/command"
)

const (
	ofArgo     = "/apis/argoproj.io/v1alpha1"
	ofCauseway = "/apis/causeway.io/v1alpha1/namespaces/argocd/"
	versions   = "GET /version"
)

// hub answers all that doctor asks of one on which all is well.
func hub() map[string]any {
	kinds := metav1.APIResourceList{GroupVersion: v1alpha1.GroupVersion.String()}
	for _, kind := range []string{v1alpha1.ApplicationKind, v1alpha1.ApplicationSetKind, v1alpha1.AppProjectKind} {
		kinds.APIResources = append(kinds.APIResources, metav1.APIResource{Name: strings.ToLower(kind) + "s", Kind: kind})
	}
	allowed := authorizationv1.SelfSubjectAccessReview{Status: authorizationv1.SubjectAccessReviewStatus{Allowed: true}}
	return map[string]any{
		versions: map[string]string{"gitVersion": "v1.36.3"}, "GET " + ofArgo: kinds, "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews": allowed,
		"GET /api/v1/namespaces/argocd/secrets": corev1.SecretList{}, "GET /api/v1/namespaces/argocd/configmaps/{name}": clitest.Refusal{Status: http.StatusNotFound},
		"GET " + ofCauseway + "clustermetadata": causeway.ClusterMetadataList{}, "GET " + ofCauseway + "metadataschemas": causeway.MetadataSchemaList{},
		"GET " + ofArgo + "/namespaces/argocd/applications": v1alpha1.ApplicationList{}, "GET " + ofArgo + "/namespaces/argocd/applicationsets": v1alpha1.ApplicationSetList{},
	}
}

// examined is what doctor says of a hub, with its lines in a single space.
func examined(t *testing.T, routes map[string]any) clitest.Left {
	t.Helper()
	got := clitest.Run(t, New, "-o", "wide", "--kubeconfig", clitest.NewDesk(t, routes).Kubeconfig(t))
	var lines []string
	for line := range strings.Lines(got.Out) {
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	got.Out = strings.Join(lines, "\n")
	return got
}

// TestAHubThatIsWell has no line that fails, and one for each thing that was looked at.
func TestAHubThatIsWell(t *testing.T) {
	got := examined(t, hub())
	got.Says(t, "all is well", command.ExitFine, "Kubernetes v1.36.3, answers in", "ok API types", "ok permissions", "ok cluster in-cluster https://kubernetes.default.svc", "ok applications 0 of 0 Synced and Healthy")
}

// TestAHubThatDoesNotLetIn is another thing than one that is not there: what to do about it differs, and one that only keeps
// its version to itself is looked at further.
func TestAHubThatDoesNotLetIn(t *testing.T) {
	cases := map[string]struct {
		reason string
		route  string
		answer clitest.Refusal
		code   int
		want   []string
		not    string
	}{
		"credentials": {"nothing else can be asked", versions, clitest.Refusal{Status: http.StatusUnauthorized}, command.ExitFailed, []string{"refuses the credentials", "→ sign in again"}, "permissions"},
		"version":     {"the rest can be", versions, clitest.Refusal{Status: http.StatusForbidden}, command.ExitFine, []string{"ok hub", "ok permissions"}, "its address can be reached"},
		"broken":      {"it is no hub", versions, clitest.Refusal{Status: http.StatusInternalServerError}, command.ExitFailed, []string{"fail hub", "→ check that it runs"}, "permissions"},
		"kinds":       {"who may not see the kinds need not install them", "GET " + ofArgo, clitest.Refusal{Status: http.StatusForbidden}, command.ExitFailed, []string{"fail API types cannot tell whether argoproj.io/v1alpha1 is served: "}, "→ install"},
		"secrets":     {"each check has its line, and the others go on", "GET /api/v1/namespaces/argocd/secrets", clitest.Refusal{Status: http.StatusForbidden}, command.ExitFailed, []string{"fail clusters", "fail repositories", "fail applications"}, "in-cluster"},
		"metadata":    {"an API that cannot be read is not one that nobody uses", "GET " + ofCauseway + "clustermetadata", clitest.Refusal{Status: http.StatusForbidden}, command.ExitFailed, []string{"fail cluster metadata"}, "not looked at"},
		"no metadata": {"without the definitions nobody uses them", "GET " + ofCauseway + "metadataschemas", clitest.Refusal{Status: http.StatusNotFound}, command.ExitFine, []string{"ok applications"}, "cluster metadata"},
		"no sets":     {"the applications are told all the same", "GET " + ofArgo + "/namespaces/argocd/applicationsets", clitest.Refusal{Status: http.StatusForbidden}, command.ExitFailed, []string{"fail application sets", "ok applications"}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			routes := hub()
			routes[c.route] = c.answer
			got := examined(t, routes)
			got.Says(t, c.reason, c.code, c.want...)
			if c.not != "" && strings.Contains(got.Out, c.not) {
				t.Errorf("%s: it says %q:\n%s", c.reason, c.not, got.Out)
			}
		})
	}
}

// TestApplicationsInTroubleAreTold, and those that are not looked at yet are no trouble.
func TestApplicationsInTroubleAreTold(t *testing.T) {
	app := func(name string, change func(*v1alpha1.Application)) v1alpha1.Application {
		return *clitest.Settled(func(a *v1alpha1.Application) { a.Name = name }, change)
	}
	broken := func(a *v1alpha1.Application) {
		a.Status.Conditions = []v1alpha1.ApplicationCondition{{Type: "ComparisonError", Message: "no chart\n is there"}}
	}
	automated := func(a *v1alpha1.Application) {
		a.Spec.SyncPolicy = &v1alpha1.SyncPolicy{Automated: &v1alpha1.SyncPolicyAutomated{}}
	}
	routes := hub()
	routes["GET "+ofArgo+"/namespaces/argocd/applications"] = v1alpha1.ApplicationList{Items: []v1alpha1.Application{
		app("well", func(*v1alpha1.Application) {}), app("broken", broken),
		app("by-hand", func(a *v1alpha1.Application) { a.Status.Sync.Status = v1alpha1.SyncStatusCodeOutOfSync }),
		app("late", func(a *v1alpha1.Application) { automated(a); a.Status.Health.Status = v1alpha1.HealthStatusProgressing }),
		app("unseen", func(a *v1alpha1.Application) {
			broken(a)
			a.Annotations = map[string]string{v1alpha1.AnnotationRefresh: "normal"}
		}),
	}}
	routes["GET "+ofArgo+"/namespaces/argocd/applicationsets"] = v1alpha1.ApplicationSetList{Items: []v1alpha1.ApplicationSet{{
		ObjectMeta: metav1.ObjectMeta{Name: "addons"}, Status: v1alpha1.ApplicationSetStatus{Conditions: []v1alpha1.ApplicationSetCondition{
			{Type: v1alpha1.ApplicationSetConditionErrorOccurred, Status: "True", Message: "no generator"}, {Type: v1alpha1.ApplicationSetConditionParameterWarning, Status: "True", Message: "{{x}} is left"},
		}},
	}}}
	got := examined(t, routes)
	got.Says(t, "each with what to do", command.ExitFailed,
		"fail application broken ComparisonError: no chart is there\n→ causeway get app broken -o yaml", "warn application late Synced, Progressing\n", "fail appset addons no generator\n→ causeway get appset addons -o yaml",
		"warn appset addons {{x}} is left\n→ causeway bridge", "ok applications 1 application not looked at yet", "ok applications 1 of 5 Synced and Healthy")
	for _, quiet := range []string{"application well", "application by-hand", "application unseen"} {
		if strings.Contains(got.Out, quiet) {
			t.Errorf("%s waits for nobody, and has a line:\n%s", quiet, got.Out)
		}
	}
}

// TestViolationsAreNoFailure: the values are wrong, and the schema does what it is for.
func TestViolationsAreNoFailure(t *testing.T) {
	routes := hub()
	routes["GET "+ofCauseway+"metadataschemas"] = causeway.MetadataSchemaList{Items: []causeway.MetadataSchema{{
		ObjectMeta: metav1.ObjectMeta{Name: "teams"}, Status: causeway.MetadataSchemaStatus{
			Conditions: []metav1.Condition{{Type: causeway.ConditionReady, Status: metav1.ConditionTrue}}, Violations: 1, Problems: []causeway.MetadataProblem{{Cluster: "dev", Key: "team", Message: "is missing"}},
		},
	}}}
	routes["GET "+ofCauseway+"clustermetadata"] = causeway.ClusterMetadataList{Items: []causeway.ClusterMetadata{{ObjectMeta: metav1.ObjectMeta{Name: "network"}}}}
	examined(t, routes).Says(t, "both are warnings", command.ExitFine, "warn metadataschema teams 1 violation: cluster dev: team: is missing\n→ correct the values", "warn clustermetadata network not looked at yet")
}

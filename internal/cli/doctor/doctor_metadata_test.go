package doctor

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	causeway "github.com/causeway-gitops/causeway/api/causeway/v1alpha1"
)

func TestUnreadyObjectsHaveALine(t *testing.T) {
	notReady := []metav1.Condition{{Type: causeway.ConditionReady, Status: metav1.ConditionFalse, Message: "annotation region: set by terraform"}}
	problem := func(key, cluster, message string) causeway.MetadataProblem {
		return causeway.MetadataProblem{Key: key, Cluster: cluster, Message: message}
	}
	look := "kubectl get clustermetadata network -o yaml"
	cases := map[string]struct {
		reason     string
		conditions []metav1.Condition
		problems   []causeway.MetadataProblem
		want       []finding
	}{
		"ready": {"what is well has no line", []metav1.Condition{{Type: causeway.ConditionReady, Status: metav1.ConditionTrue}}, nil, nil},
		"one": {
			"the condition tells the only problem", notReady, []causeway.MetadataProblem{problem("region", "dev", "set by terraform")},
			[]finding{{"clustermetadata network", fail, "annotation region: set by terraform", look}},
		},
		"many": {
			"a few of many are told", notReady,
			[]causeway.MetadataProblem{problem("region", "dev", "set by terraform"), problem("", "nosuch", "there is no Secret"), problem("a", "", "a is wrong"), problem("b", "", "late")},
			[]finding{{"clustermetadata network", fail, "4 problems; the first: cluster dev: region: set by terraform; cluster nosuch: there is no Secret; a is wrong", look}},
		},
		"unseen": {
			"no engine has looked at it", nil, nil,
			[]finding{{"clustermetadata network", warn, "not looked at yet", "check that the engine runs, and may read it: causeway logs"}},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, unready("clustermetadata", "network", c.conditions, c.problems)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.reason, diff)
			}
		})
	}
}

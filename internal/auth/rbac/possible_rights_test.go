package rbac

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
)

type only struct{ project *v1alpha1.AppProject }

func (o only) Project(name string) *v1alpha1.AppProject {
	if o.project.Name == name {
		return o.project
	}
	return nil
}

// What has no name yet may be offered to whom a line allows any object.
func TestMight(t *testing.T) {
	p, err := Load(map[string]string{keyPolicy: "p, ann, repositories, create, https://git.example.com/shop/*, allow\n" +
		"p, bob, repositories, get, *, allow\np, cyd, repositories, create, *, deny\n"})
	if err != nil {
		t.Fatal(err)
	}
	project := &v1alpha1.AppProject{ObjectMeta: metav1.ObjectMeta{Name: "shop"}, Spec: v1alpha1.AppProjectSpec{Roles: []v1alpha1.ProjectRole{
		{Name: "dev", Groups: []string{"devs"}, Policies: []string{"p, proj:shop:dev, repositories, create, shop/*, allow"}},
	}}}
	for name, tc := range map[string]struct {
		reason string
		claims Claims
		object string
		want   bool
	}{
		"by a pattern": {"a line that names addresses allows some", Claims{"sub": "ann"}, "", true},
		"reader":       {"another action is none of creating", Claims{"sub": "bob"}, "", false},
		"denied":       {"who is denied is allowed nothing", Claims{"sub": "cyd"}, "", false},
		"admin":        {"the admin may everything", Claims{"sub": "eve", "groups": []any{"role:admin"}}, "", true},
		"of a project": {"a role of a project allows it there", Claims{"sub": "dan", "groups": []any{"devs"}}, "shop/", true},
		"not outside":  {"and nowhere else", Claims{"sub": "dan", "groups": []any{"devs"}}, "", false},
		"anonymous":    {"nobody has no lines", Claims{}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			got := p.Subject(tc.claims).Might(only{project}, Request{Resource: "repositories", Action: "create", Object: tc.object})
			if got != tc.want {
				t.Errorf("%s: got %t", tc.reason, got)
			}
		})
	}
}

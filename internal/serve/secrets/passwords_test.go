package secrets

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/auth"
	"github.com/causeway-gitops/causeway/internal/auth/account"
	"github.com/causeway-gitops/causeway/internal/auth/password"
	"github.com/causeway-gitops/causeway/internal/auth/token"
	"github.com/causeway-gitops/causeway/internal/fleet/embedded/embeddedtest"
	"github.com/causeway-gitops/causeway/internal/gitops"
)

// ours are the accounts that argocd-cm has beside admin.
func ours(more map[string]string) func() map[string]string {
	settings := map[string]string{"accounts.ann": "login", "accounts.robot": "apiKey", "accounts.bob": "login", "accounts.bob.enabled": "false"}
	for key, value := range more {
		settings[key] = value
	}
	return func() map[string]string { return settings }
}

// TestPasswordsThatAreTaken: a password is of an account that signs in with one, and as the installation wants it.
func TestPasswordsThatAreTaken(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, account, text string
		pattern               string
		refused               gitops.ProblemKind
		says                  string
	}{
		"Ann":      {"she signs in with one", "ann", "long enough", "", 0, ""},
		"Admin":    {"so does admin, whom no setting names", "admin", "long enough", "", 0, ""},
		"Robot":    {"a password of what has keys alone would let in nobody", "robot", "long enough", "", gitops.Invalid, "account robot does not sign in"},
		"Nobody":   {"there is no such account", "eve", "long enough", "", gitops.Invalid, "account eve does not sign in"},
		"Short":    {"Argo CD wants 8 characters", "ann", "2 short", "", gitops.Invalid, "^.{8,72}$"},
		"Long":     {"a hash takes no more than 72 bytes", "ann", strings.Repeat("x", 73), "", gitops.Invalid, "^.{8,72}$"},
		"Wide":     {"letters are counted, and not their bytes", "ann", strings.Repeat("ж", 72), "", 0, ""},
		"Pattern":  {"another expression is in the place of Argo CD's", "ann", "1234", "^[0-9]{4}$", 0, ""},
		"Unlike":   {"which it has to be like", "ann", "long enough", "^[0-9]{4}$", gitops.Invalid, "^[0-9]{4}$"},
		"Broken":   {"one that cannot be read checks nothing", "ann", "long enough", "^(", gitops.NotReady, "no regular expression"},
		"TooLarge": {"nor does one without end", "ann", "long enough", strings.Repeat("x", maxPattern+1), gitops.NotReady, "no regular expression"},
	} {
		t.Run(name, func(t *testing.T) {
			more := map[string]string{}
			if tc.pattern != "" {
				more[settingPattern] = tc.pattern
			}
			b := &Passwords{Accounts: &Accounts{secret: &awaySecret{}, now: time.Now, settings: ours(more)}}
			hash, since, err := b.newPassword(t.Context(), tc.account, tc.text)
			if tc.says == "" {
				if err != nil || !hash.Verify(tc.text) || hash.Verify(tc.text+"r") || !since.After(time.Now().Add(-time.Second)) {
					t.Errorf("%s: since %s, %v", tc.reason, since, err)
				}
				return
			}
			if !gitops.IsProblem(err, tc.refused) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%s: %v", tc.reason, err)
			}
			if err != nil && tc.text != "" && strings.Contains(err.Error(), tc.text) {
				t.Errorf("%s: the error tells the password", tc.reason)
			}
		})
	}
}

// TestPasswordIsSet in the hub's Secret, which is made where there is none and stays another's where it is: it counts at
// once, and the one before no longer.
func TestPasswordIsSet(t *testing.T) {
	c, err := client.New(Hub, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	namespace := embeddedtest.Namespace(t, Hub)
	first, err := password.New("of this start")
	if err != nil {
		t.Fatal(err)
	}
	ann := &auth.User{Name: "ann", Via: auth.Local}
	a := NewAccounts(AccountsOptions{Reader: c, Namespace: namespace, Settings: ours(nil), First: first})
	b := &Passwords{Accounts: a, Client: func(*auth.User) (client.Client, error) { return c, nil }}
	counts := func(name, text string) bool { _, err := a.Verify(t.Context(), name, text); return err == nil }
	if !counts("admin", "of this start") || counts("ann", "of this start") {
		t.Error("the password of the start is admin's alone")
	}
	for _, set := range []struct{ name, text string }{{"ann", "hers at first"}, {"ann", "hers by now"}, {"admin", "no longer the first"}} {
		if _, err := b.SetPassword(t.Context(), ann, set.name, set.text); err != nil {
			t.Fatal(err)
		}
	}
	if counts("ann", "hers at first") || !counts("ann", "hers by now") || counts("admin", "of this start") || !counts("admin", "no longer the first") {
		t.Error("passwords from before count, or those that were set do not")
	}
	shown, err := b.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var has []string
	for i := range shown {
		if shown[i].Password {
			has = append(has, shown[i].Name)
		}
	}
	if diff := cmp.Diff([]string{"admin", "ann"}, has); diff != "" || len(shown) != 4 {
		t.Errorf("of %d accounts these have a password (-want +got):\n%s", len(shown), diff)
	}
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), a.name, secret); err != nil || secret.Labels[partOf] != partOfArgo {
		t.Errorf("the Secret has the labels %v: %v", secret.Labels, err)
	}
	for key, text := range secret.Data {
		if strings.Contains(string(text), "hers") || strings.Contains(string(text), "first") {
			t.Errorf("%s is kept as it was written", key)
		}
	}
	secret.Labels[v1alpha1.LabelSecretType] = v1alpha1.SecretTypeCluster
	if err := c.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if _, err := b.SetPassword(t.Context(), ann, "ann", "not of a cluster"); err == nil || !strings.Contains(err.Error(), "Secret "+account.Secret+" has the label") {
		t.Errorf("a Secret that describes a cluster takes passwords: %v", err)
	}
	stranger := errors.New("who is that")
	b.Client = func(*auth.User) (client.Client, error) { return nil, stranger }
	if _, err := b.SetPassword(t.Context(), ann, "ann", "long enough"); !errors.Is(err, stranger) {
		t.Errorf("somebody who is not known writes as %v", err)
	}
}

// TestAccountsThatAreOff: who may not sign in, may not with the right password either, nor admin with the first one.
func TestAccountsThatAreOff(t *testing.T) {
	first, err := password.New("of this start")
	if err != nil {
		t.Fatal(err)
	}
	a := &Accounts{
		secret: &awaySecret{data: setPassword(t, "accounts.bob", "long enough", time.Now().Add(-time.Hour))}, now: time.Now,
		settings: ours(map[string]string{"admin.enabled": "false"}), first: first, started: time.Now(),
	}
	for name, text := range map[string]string{"bob": "long enough", "admin": "of this start", "robot": "", "eve": ""} {
		if _, err := a.Verify(t.Context(), name, text); !gitops.IsProblem(err, gitops.Refused) {
			t.Errorf("%s signs in: %v", name, err)
		}
	}
	for name, want := range map[string]bool{"ann": true, "bob": true, "robot": true, "admin": true, "eve": false, "": false} {
		if a.Known(name) != want {
			t.Errorf("%q is known: %t", name, !want)
		}
	}
}

// projectsOf are projects by their names.
type projectsOf map[string]*v1alpha1.AppProject

func (p projectsOf) Project(name string) *v1alpha1.AppProject { return p[name] }

// TestTokensOfRoles count as long as the role lists them, by their names, or by when they were made where they have none.
func TestTokensOfRoles(t *testing.T) {
	made := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	project := &v1alpha1.AppProject{}
	project.Spec.Roles = []v1alpha1.ProjectRole{
		{Name: "ci", JWTTokens: []v1alpha1.JWTToken{{ID: "1", IssuedAt: made.Unix()}, {IssuedAt: made.Add(time.Hour).Unix()}}}, {Name: "cd"},
	}
	project.Status.JWTTokensByRole = map[string]v1alpha1.JWTTokens{"cd": {Items: []v1alpha1.JWTToken{{ID: "2", IssuedAt: made.Unix()}}}, "gone": {Items: []v1alpha1.JWTToken{{ID: "3"}}}}
	a := &Accounts{projects: projectsOf{"red": project}}
	for name, tc := range map[string]struct {
		reason string
		token  token.Token
		want   bool
	}{
		"Spec":    {"the role lists it", token.Token{Project: "red", Role: "ci", ID: "1", IssuedAt: made}, true},
		"Status":  {"also where Argo CD keeps it", token.Token{Project: "red", Role: "cd", ID: "2", IssuedAt: made}, true},
		"Time":    {"one without a name is known by its time", token.Token{Project: "red", Role: "ci", IssuedAt: made.Add(time.Hour)}, true},
		"Named":   {"one with a name is not: anybody may know the time", token.Token{Project: "red", Role: "ci", ID: "9", IssuedAt: made.Add(time.Hour)}, false},
		"Nobody":  {"nor is one without a name any of that time", token.Token{Project: "red", Role: "ci", IssuedAt: made.Add(time.Minute)}, false},
		"Role":    {"it is of another role", token.Token{Project: "red", Role: "cd", ID: "1", IssuedAt: made}, false},
		"Gone":    {"a role that is gone has none left", token.Token{Project: "red", Role: "gone", ID: "3"}, false},
		"Project": {"so has a project", token.Token{Project: "blue", Role: "ci", ID: "1", IssuedAt: made}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := a.Valid(t.Context(), &tc.token); (err == nil) != tc.want || err != nil && !gitops.IsProblem(err, gitops.Refused) {
				t.Errorf("%s: %v", tc.reason, err)
			}
		})
	}
}

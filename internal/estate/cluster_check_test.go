package estate

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/causeway-gitops/causeway/api/argoproj/v1alpha1"
	"github.com/causeway-gitops/causeway/internal/server/api"
)

// memberSecret is a cluster that is stored.
func memberSecret(project, config string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "argocd", Name: "spoke", UID: "1", Labels: map[string]string{v1alpha1.LabelSecretType: v1alpha1.SecretTypeCluster}},
		Data:       map[string][]byte{"name": []byte("spoke"), "server": []byte("https://spoke.example.com"), "project": []byte(project), "config": []byte(config)},
	}
}

// unfitFields are the fields that an error is about, sorted.
func unfitFields(err error) []string {
	var out []string
	var unfit *api.Unfit
	if errors.As(err, &unfit) {
		for _, f := range unfit.Fields {
			out = append(out, f.Field)
		}
	}
	slices.Sort(out)
	return out
}

// Who describes a cluster is told of all that does not fit in one round, and no
// cluster is asked for it.
func TestCheckTellsAll(t *testing.T) {
	c := &Clusters{Writer: &Writer{Namespace: "argocd"}}
	want := api.MemberWish{MemberFields: api.MemberFields{Name: "spoke", Server: "spoke", CA: "no certificate", Labels: map[string]string{"a": "b c"}}}
	if diff := cmp.Diff([]string{"ca", "labels", "server"}, unfitFields(c.Check(t.Context(), nil, want))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	want.Server, want.CA, want.Labels = "https://spoke.example.com", "", nil
	if err := c.Check(t.Context(), nil, want); err != nil {
		t.Errorf("what fits: %v", err)
	}
}

// TestProgramIsToldAnew changes a cluster whose program has secrets among its
// arguments and variables, by somebody who may not read them.
func TestProgramIsToldAnew(t *testing.T) {
	const stored = `{"execProviderConfig":{"command":"kubelogin","args":["get-token","--login","spn","--client-secret","hunter2"],"env":{"AZURE_TENANT_ID":"t"},` +
		`"apiVersion":"client.authentication.k8s.io/v1"},"proxyUrl":"http://me:hunter2@proxy.example.com","tlsClientConfig":{"insecure":false}}`
	args, env, none := []string{"get-token", "--login", "msi"}, map[string]string{"AZURE_AUTHORITY_HOST": "https://login.microsoftonline.us"}, ""
	same, proxy := map[string]string{"AZURE_TENANT_ID": "t"}, "http://other.example.com"
	all := []string{"secrets.args", "secrets.env", "secrets.proxyUrl"}
	for name, tc := range map[string]struct {
		reason string
		change func(*api.MemberWish)
		want   []string
	}{
		"Labels":   {"who changes nothing of it need not know it", func(w *api.MemberWish) { w.Labels = map[string]string{"a": "b"} }, nil},
		"Same":     {"nor who sends what there is", func(w *api.MemberWish) { w.Secrets.Env = &same }, nil},
		"Env":      {"variables say where arguments are sent", func(w *api.MemberWish) { w.Secrets.Env = &env }, []string{"secrets.args", "secrets.proxyUrl"}},
		"Args":     {"and arguments where variables are", func(w *api.MemberWish) { w.Secrets.Args = &args }, []string{"secrets.env", "secrets.proxyUrl"}},
		"Version":  {"a program may answer to each version otherwise", func(w *api.MemberWish) { w.CommandVersion = "client.authentication.k8s.io/v1beta1" }, all},
		"Command":  {"another program does else with it", func(w *api.MemberWish) { w.Command = "aws" }, all},
		"Server":   {"another server", func(w *api.MemberWish) { w.Server = "https://other.example.com" }, all},
		"Unsafe":   {"a server that is not checked", func(w *api.MemberWish) { w.Insecure = true }, all},
		"Name":     {"one that has another name", func(w *api.MemberWish) { w.ServerName = "other.example.com" }, all},
		"Proxy":    {"a proxy sees what passes", func(w *api.MemberWish) { w.Secrets.Proxy = &proxy }, all[:2]},
		"No proxy": {"without one it goes by another way", func(w *api.MemberWish) { w.Secrets.Proxy = &none }, all[:2]},
		"AWS": {"another way to sign in", func(w *api.MemberWish) {
			w.Command, w.CommandVersion, w.AWS = "", "", &api.MemberAWS{ClusterName: "other"}
		}, all[2:]},
		"Together": {"what is given as a whole is taken", func(w *api.MemberWish) { w.Secrets = api.MemberSecrets{Args: &args, Env: &env, Proxy: &none} }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			want := api.MemberWish{MemberFields: api.MemberFields{
				Name: "spoke", Server: "https://spoke.example.com", Command: "kubelogin", CommandVersion: "client.authentication.k8s.io/v1",
			}}
			tc.change(&want)
			_, err := (&Clusters{}).fitting(memberSecret("", stored), &want)
			if diff := cmp.Diff(tc.want, unfitFields(err)); diff != "" {
				t.Errorf("%s: %v\n%s", tc.reason, err, diff)
			}
			if err != nil && slices.Contains(tc.want, "secrets.args") && !strings.Contains(err.Error(), "both together") {
				t.Errorf("%s: %v does not say what to do", tc.reason, err)
			}
		})
	}
}

// TestCredentialsInAnyCase has Secrets with fields that the engine reads and that nobody spells so: what they hold is a
// credential all the same, and goes to no other server unasked.
func TestCredentialsInAnyCase(t *testing.T) {
	for config, want := range map[string][]string{
		`{"BearerToken":"hunter2"}`:                                           {"secrets.bearerToken"},
		`{"username":"u","PassWord":"hunter2"}`:                               {"secrets.password"},
		`{"TLSclientconfig":{"CertData":"Yw==","KEYDATA":"aw=="}}`:            {"secrets.certData", "secrets.keyData"},
		`{"note":"no field of the engine's","tlsClientConfig":{"Other":"x"}}`: nil,
	} {
		want := slices.Clone(want)
		wish := api.MemberWish{MemberFields: api.MemberFields{Name: "spoke", Project: "team", Server: "https://other.example.com"}}
		_, err := (&Clusters{Writer: &Writer{Namespace: "argocd"}}).fitting(memberSecret("team", config), &wish)
		if diff := cmp.Diff(want, unfitFields(err)); diff != "" {
			t.Errorf("%s: %v\n%s", config, err, diff)
		}
	}
}

// TestProjectsMembersBorrowNothing describes clusters of one project, by people
// who have rights on that project's clusters alone.
func TestProjectsMembersBorrowNothing(t *testing.T) {
	const (
		program = `{"execProviderConfig":{"command":"aws","args":["eks","get-token","--cluster-name","spoke"]},"tlsClientConfig":{"insecure":false}}`
		cloud   = `{"awsAuthConfig":{"clusterName":"spoke"},"tlsClientConfig":{"insecure":false}}`
	)
	token, aws := "t0ken", &api.MemberAWS{ClusterName: "spoke"}
	wish := func(f api.MemberFields) api.MemberWish {
		f.Name = "spoke"
		if f.Server == "" {
			f.Server = "https://spoke.example.com"
		}
		return api.MemberWish{MemberFields: f}
	}
	google := wish(api.MemberFields{Command: "gke-gcloud-auth-plugin", Project: "red"})
	own := wish(api.MemberFields{Project: "red"})
	own.Secrets.BearerToken = &token
	for name, tc := range map[string]struct {
		reason string
		before *corev1.Secret
		want   api.MemberWish
		field  string
	}{
		"Program":      {"its token would go to whatever server", nil, google, "command"},
		"Cloud":        {"as would that for another cluster", nil, wish(api.MemberFields{AWS: aws, Project: "red"}), "aws.clusterName"},
		"Own":          {"a credential of the cluster is the project's", nil, own, ""},
		"All":          {"who describes clusters for all is an operator", nil, wish(api.MemberFields{AWS: aws}), ""},
		"Kept":         {"an operator's Secret is as it was", memberSecret("red", program), wish(api.MemberFields{Command: "aws", Project: "red", Labels: map[string]string{"a": "b"}}), ""},
		"Kept cloud":   {"by whatever of the engine's", memberSecret("red", cloud), wish(api.MemberFields{AWS: aws, Project: "red"}), ""},
		"Moved":        {"it does not go to another server", memberSecret("red", cloud), wish(api.MemberFields{AWS: aws, Project: "red", Server: "https://other.example.com"}), "aws.clusterName"},
		"Unchecked":    {"nor to whoever answers", memberSecret("red", cloud), wish(api.MemberFields{AWS: aws, Project: "red", Insecure: true}), "aws.clusterName"},
		"Else":         {"nor is it for another cluster", memberSecret("red", cloud), wish(api.MemberFields{AWS: &api.MemberAWS{ClusterName: "other"}, Project: "red"}), "aws.clusterName"},
		"Given away":   {"nor for a project that had it not", memberSecret("", cloud), wish(api.MemberFields{AWS: aws, Project: "red"}), "aws.clusterName"},
		"Other's":      {"or another one", memberSecret("blue", program), wish(api.MemberFields{Command: "aws", Project: "red"}), "command"},
		"Its own then": {"and it may be given up", memberSecret("red", cloud), own, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (&Clusters{Writer: &Writer{Namespace: "argocd"}}).fitting(tc.before, &tc.want)
			if tc.field == "" {
				if err != nil {
					t.Errorf("%s: %v", tc.reason, err)
				}
				return
			}
			if !slices.Contains(unfitFields(err), tc.field) || !strings.Contains(err.Error(), "is of project red alone") || !strings.Contains(err.Error(), "operator") {
				t.Errorf("%s: got %v, want the field %s", tc.reason, err, tc.field)
			}
		})
	}
}

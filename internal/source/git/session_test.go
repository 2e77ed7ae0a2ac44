package git

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/causeway-gitops/causeway/internal/source/access"
	"github.com/causeway-gitops/causeway/internal/source/address"
)

// signedIn opens a session, and gives what git is told by it.
func signedIn(t *testing.T, raw string, cred access.Credential) (s session, config map[string]string, env []string) {
	t.Helper()
	at, err := address.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = newStore(t).command.open(at, cred); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	config = map[string]string{}
	for _, kv := range s.config {
		config[kv[0]] = kv[1]
	}
	return s, config, slices.DeleteFunc(slices.Clone(s.env), func(kv string) bool { return strings.HasPrefix(kv, "GIT_CONFIG_") })
}

// TestSessionsOfTheWeb has git be told how it signs in, for the one host.
func TestSessionsOfTheWeb(t *testing.T) {
	const host = "https://git.example.org:8443"
	basic := "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("me:hunter2"))
	held := map[string]string{"credential." + host + ".helper": helper, "http." + host + ".followRedirects": "false"}
	for name, tc := range map[string]struct {
		reason, url string
		cred        access.Credential
		config      map[string]string
		env         []string
	}{
		"Public":   {"nobody signs in", host + "/r", access.Credential{}, map[string]string{}, nil},
		"Password": {"git asks for it, and follows nobody", host + "/r", access.Credential{Username: "me", Password: "hunter2"}, held, []string{"CAUSEWAY_USERNAME=me", "CAUSEWAY_PASSWORD=hunter2"}},
		"Token":    {"a token needs some name", host + "/r", access.Credential{Password: "hunter2"}, held, []string{"CAUSEWAY_USERNAME=git", "CAUSEWAY_PASSWORD=hunter2"}},
		"Address":  {"the address may have them", "https://me:hunter2@git.example.org:8443/r", access.Credential{}, held, []string{"CAUSEWAY_USERNAME=me", "CAUSEWAY_PASSWORD=hunter2"}},
		"Both":     {"the Secret counts before the address", "https://x:y@git.example.org:8443/r", access.Credential{Username: "me", Password: "hunter2"}, held, []string{"CAUSEWAY_USERNAME=me", "CAUSEWAY_PASSWORD=hunter2"}},
		"Lines":    {"a line end would be another answer", host + "/r", access.Credential{Username: "me\n", Password: "hun\r\nter2"}, held, []string{"CAUSEWAY_USERNAME=me", "CAUSEWAY_PASSWORD=hunter2"}},
		"Forced":   {"before the server asks", host + "/r", access.Credential{Username: "me", Password: "hunter2", ForceBasic: true}, map[string]string{"http." + host + ".extraHeader": basic, "http." + host + ".followRedirects": "false"}, nil},
		"Bearer":   {"a token counts before a password", host + "/r", access.Credential{BearerToken: "tok\nen", Password: "hunter2"}, map[string]string{"http." + host + ".extraHeader": "Authorization: Bearer token", "http." + host + ".followRedirects": "false"}, nil},
		"Insecure": {"what only says how to connect is sent nowhere, so others are followed", host + "/r", access.Credential{Insecure: true}, map[string]string{"http." + host + ".sslVerify": "false"}, nil},
		"Proxy":    {"a proxy for all of it", host + "/r", access.Credential{Proxy: "http://p:1", NoProxy: "x"}, map[string]string{}, []string{"http_proxy=http://p:1", "https_proxy=http://p:1", "HTTPS_PROXY=http://p:1", "NO_PROXY=x", "no_proxy=x"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, config, env := signedIn(t, tc.url, tc.cred)
			if d := cmp.Diff(tc.config, config); d != "" {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
			if d := cmp.Diff(tc.env, env); d != "" && len(tc.env)+len(env) > 0 {
				t.Errorf("%s:\n%s", tc.reason, d)
			}
			if len(s.args) > 0 {
				t.Errorf("others on this machine read arguments: %q", s.args)
			}
		})
	}
}

// TestSessionsOfSSH has ssh ask nobody, and believe no host that is not known.
func TestSessionsOfSSH(t *testing.T) {
	for name, tc := range map[string]struct {
		reason    string
		cred      access.Credential
		has, not  []string
		key, host string
	}{
		"Nobody":   {"nothing of the person's own", access.Credential{}, []string{"BatchMode=yes", "-F /dev/null", "StrictHostKeyChecking=yes"}, []string{" -i ", "UserKnownHostsFile", "StrictHostKeyChecking=no"}, "", ""},
		"Own":      {"unless that is wanted", access.Credential{OwnSSH: true}, []string{"StrictHostKeyChecking=yes"}, []string{"-F "}, "", ""},
		"Key":      {"a key alone, with a last line end and those of ssh", access.Credential{SSHKey: "a\r\nb"}, []string{"IdentitiesOnly=yes -i '"}, nil, "a\nb\n", ""},
		"Hosts":    {"hosts of the Secret and no others", access.Credential{KnownHosts: "h ssh-rsa x"}, []string{"GlobalKnownHostsFile=/dev/null", "StrictHostKeyChecking=yes"}, nil, "", "h ssh-rsa x\n"},
		"Insecure": {"any host", access.Credential{Insecure: true, KnownHosts: "h ssh-rsa x"}, []string{"StrictHostKeyChecking=no", "UserKnownHostsFile=/dev/null"}, []string{"StrictHostKeyChecking=yes"}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _, env := signedIn(t, "ssh://git@git.example.org/r", tc.cred)
			command := strings.Join(env, "\n")
			for _, want := range tc.has {
				if !strings.Contains(command, want) {
					t.Errorf("%s: %q is not in %s", tc.reason, want, command)
				}
			}
			for _, no := range tc.not {
				if strings.Contains(command, no) {
					t.Errorf("%s: %q is in %s", tc.reason, no, command)
				}
			}
			checkFile(t, filepath.Join(s.files, "key"), tc.key)
			checkFile(t, filepath.Join(s.files, "known_hosts"), tc.host)
			s.close()
			if _, err := os.Stat(s.files); !os.IsNotExist(err) {
				t.Errorf("the key stays on the disk: %v", err)
			}
		})
	}
}

// checkFile reads a file that nobody else may; there is none where nothing is wanted.
func checkFile(t *testing.T, name, want string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if string(data) != want || os.IsNotExist(err) != (want == "") {
		t.Errorf("%s holds %q, %v, want %q", name, data, err, want)
	}
	if info, err := os.Stat(name); err == nil && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read %s: %s", name, info.Mode())
	}
}

// TestSessionsWithCertificates writes them for curl, for the one host.
func TestSessionsWithCertificates(t *testing.T) {
	const host = "https://git.example.org"
	s, config, _ := signedIn(t, host+"/r", access.Credential{CA: "ca", TLSCert: "cert", TLSKey: "key"})
	want := map[string]string{
		"http." + host + ".sslCAInfo": filepath.Join(s.files, "ca"), "http." + host + ".sslCert": filepath.Join(s.files, "cert"),
		"http." + host + ".sslKey": filepath.Join(s.files, "tlskey"), "http." + host + ".followRedirects": "false",
	}
	if d := cmp.Diff(want, config); d != "" {
		t.Error(d)
	}
	for name, text := range map[string]string{"ca": "ca\n", "cert": "cert\n", "tlskey": "key\n"} {
		checkFile(t, filepath.Join(s.files, name), text)
	}
}

// TestFoldersWithQuotes: a cache folder may have any name, and git has a shell read
// the command.
func TestFoldersWithQuotes(t *testing.T) {
	if got, want := quote("/a b/it's"), `'/a b/it'\''s'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestQuestionsForHelpers asks for one repository; an address with a line end would
// ask for another one.
func TestQuestionsForHelpers(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		at     address.Address
		want   string
	}{
		"Whole": {"all that git tells a helper", address.Address{Scheme: "https", Host: "h:8443", Path: "/a/b.git", User: "me"}, "protocol=https\nhost=h:8443\npath=a/b.git\nusername=me\n"},
		"User":  {"without a user all are meant", address.Address{Scheme: "https", Host: "h", Path: "/r"}, "protocol=https\nhost=h\npath=r\n"},
		"Host":  {"a host in a path", address.Address{Scheme: "https", Host: "h", Path: "/r\nhost=bank.example.org"}, ""},
		"Name":  {"a host in a user", address.Address{Scheme: "https", Host: "h", Path: "/r", User: "me\rhost=x"}, ""},
		"Zero":  {"what ends a text in C", address.Address{Scheme: "https", Host: "h\x00", Path: "/r"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := questionOf(tc.at)
			if got != tc.want || (err != nil) != (tc.want == "") {
				t.Errorf("%s: got %q, %v", tc.reason, got, err)
			}
		})
	}
	for answer, want := range map[string]access.Credential{
		"protocol=https\nusername=me\npassword=a=b\n": {Username: "me", Password: "a=b"},
		"username=me\r\npassword=x\r\n":               {Username: "me", Password: "x"},
		"username=me\n":                               {}, // a name opens nothing
		"":                                            {},
	} {
		if got := answerOf([]byte(answer)); got != want {
			t.Errorf("%q is %v", answer, got)
		}
	}
}

// TestPersonsEnvironment has helpers of the person, and nothing that a shell within
// some repository has set for it.
func TestPersonsEnvironment(t *testing.T) {
	for name, value := range map[string]string{
		"GIT_DIR": "/evil", "GIT_WORK_TREE": "/evil", "GIT_CONFIG_PARAMETERS": "'x=y'", "GIT_ASKPASS": "evil", "GIT_CONFIG_GLOBAL": "/me/gitconfig",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper", "GIT_CONFIG_VALUE_0": "mine", "CAUSEWAY_TRIED": "x",
	} {
		t.Setenv(name, value)
	}
	c := newStore(t).command
	last := map[string]string{}
	for _, kv := range c.personal() {
		name, value, _ := strings.Cut(kv, "=")
		last[name] = value
	}
	want := map[string]string{
		"GIT_DIR": c.blank, "GIT_ASKPASS": "", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_GLOBAL": "/me/gitconfig",
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "credential.helper", "GIT_CONFIG_VALUE_0": "mine", "CAUSEWAY_TRIED": "x",
	}
	for name, value := range want {
		if last[name] != value {
			t.Errorf("%s is %q, want %q", name, last[name], value)
		}
	}
	for _, name := range []string{"GIT_WORK_TREE", "GIT_CONFIG_PARAMETERS"} {
		if got, ok := last[name]; ok {
			t.Errorf("%s is %q", name, got)
		}
	}
}

package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/causeway-gitops/causeway/internal/render/plugin"
)

// identity is a new key of age.
func identity(t *testing.T) string {
	t.Helper()
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	return key.String()
}

// Keys come from a flag and from the variables of SOPS, all of which count; one that
// cannot be read ends it, and is not shown.
func TestKeysOfAllPlacesCount(t *testing.T) {
	keys := []string{identity(t), identity(t), identity(t)}
	file := func(content string) string {
		name := filepath.Join(t.TempDir(), "keys.txt")
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const broken = "AGE-SECRET-KEY-1HUNTER2"
	for name, tc := range map[string]struct {
		reason, flag string
		env          map[string]string
		want         []string
		says         string
	}{
		"None":          {"there are none", "", nil, nil, ""},
		"Flag":          {"the flag names a file", file(keys[0]), nil, keys[:1], ""},
		"All":           {"they are joined", file(keys[0]), map[string]string{"SOPS_AGE_KEY_FILE": file(keys[1]), "SOPS_AGE_KEY": keys[2]}, keys, ""},
		"Missing":       {"a file that is not there", "/nowhere/keys.txt", nil, nil, "/nowhere/keys.txt"},
		"Broken":        {"a file that has no key", file(broken), nil, nil, "keys.txt"},
		"Broken itself": {"a variable that has none", "", map[string]string{"SOPS_AGE_KEY": broken}, nil, "key"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := LoadRendering("", tc.flag, func(name string) string { return tc.env[name] })
			if (err == nil) != (tc.says == "") || err != nil && (!strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "HUNTER2")) {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			text := got.Keys.Reveal()
			for _, key := range tc.want {
				if !strings.Contains(text, key) {
					t.Errorf("%s: one of %d keys is missing", tc.reason, len(tc.want))
				}
			}
			if got.Keys.Empty() != (len(tc.want) == 0) {
				t.Errorf("%s: there are keys: %t", tc.reason, !got.Keys.Empty())
			}
		})
	}
}

// A folder of plugins that cannot be used is named: an engine that starts without them
// would render something else.
func TestPluginsThatCannotBeUsed(t *testing.T) {
	none := func(string) string { return "" }
	if _, err := LoadRendering("/nowhere/plugins", "", none); err == nil || !strings.Contains(err.Error(), "/nowhere/plugins") {
		t.Errorf("a folder that is not there: %v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plugin.yaml"), []byte("kind: ConfigManagementPlugin\nmetadata: [x]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadRendering(dir, "", none); err == nil || !strings.Contains(err.Error(), "cannot use the plugins of "+dir) {
		t.Errorf("a file that is none: %v", err)
	}
}

// A worker renders with what the engine has: its keys and its plugins. It does not
// begin with keys that it cannot read.
func TestWorkersHaveTheToolsOfTheEngine(t *testing.T) {
	key := identity(t)
	for name, tc := range map[string]struct {
		reason      string
		setup       []byte
		opens, fail bool
	}{
		"Keys":   {"it opens what the engine opens", toolbox{Keys: key, Plugins: []plugin.Plugin{{Name: "cue"}}}.setup(), true, false},
		"None":   {"there are none, and nothing is opened", toolbox{}.setup(), false, false},
		"Broken": {"a key that is none", toolbox{Keys: "AGE-SECRET-KEY-1HUNTER2"}.setup(), false, true},
		"Cut":    {"what did not come whole", []byte(`{"Keys":`), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			o, renderers, err := workerTools(tc.setup, nil)
			if (err != nil) != tc.fail {
				t.Fatalf("%s: %v", tc.reason, err)
			}
			if (o.Decrypt != nil) != tc.opens || len(renderers) == 0 != tc.fail {
				t.Errorf("%s: it opens files: %t; it has %d renderers", tc.reason, o.Decrypt != nil, len(renderers))
			}
		})
	}
}

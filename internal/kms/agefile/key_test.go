package agefile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"
)

const planted = "planted-seed-of-thirty-two-bytes"

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	made := add(t, path)
	k := open(t, path)
	text, id := encrypt(t, k)
	if id != made || strings.Contains(string(text), planted) {
		t.Errorf("it encrypts with %s to %q, and not with %s", id, text, made)
	}
	if len(text) > 1<<10 {
		t.Errorf("API servers take 1024 bytes, and these are %d", len(text))
	}
	decrypt(t, k, text, id)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v, %v", info.Mode(), err)
	}
}

// TestRotation: a key that comes first encrypts from then on, and the one behind it decrypts what it encrypted. Nothing is
// started again.
func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	add(t, path)
	k := open(t, path)
	old, before := encrypt(t, k)
	add(t, path)
	renewed, after := encrypt(t, k)
	if before == after {
		t.Fatal("the new key does not encrypt")
	}
	decrypt(t, k, old, before)
	decrypt(t, k, renewed, after)

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n# created")
	write(t, path, first+"\n")
	decrypt(t, k, renewed, after)
	_, err = k.Decrypt(t.Context(), old, before)
	if err == nil || !strings.Contains(err.Error(), before) || !strings.Contains(err.Error(), "put it back there") {
		t.Errorf("without the old key: %v", err)
	}
}

// TestBrokenFiles: while a file cannot be used nothing new is encrypted, and what it had goes on decrypting.
func TestBrokenFiles(t *testing.T) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	secret := identity.String()
	tests := map[string]struct {
		reason string
		change func(t *testing.T, path string)
		want   string
	}{
		"Gone":     {"somebody moved it", func(t *testing.T, path string) { must(t, os.Remove(path)) }, "no such file"},
		"Empty":    {"an editor is about to write it", func(t *testing.T, path string) { write(t, path, "") }, "no key is in it"},
		"Comments": {"only words are left", func(t *testing.T, path string) { write(t, path, "# public key: age1\n\n") }, "no key is in it"},
		"Half":     {"a copy was cut off, and is not shown", func(t *testing.T, path string) { write(t, path, "# key\n"+secret[:40]) }, "line 2"},
		"Public":   {"a recipient decrypts nothing", func(t *testing.T, path string) { write(t, path, identity.Recipient().String()) }, "line 1"},
		"Long":     {"something else is there", func(t *testing.T, path string) { write(t, path, strings.Repeat("#\n", mostFile)) }, "64 KiB"},
		"Many":     {"memory and time are bounded", func(t *testing.T, path string) { write(t, path, strings.Repeat(secret+"\n", mostIdentities+1)) }, "more than 100 keys"},
		"Readable": {"whoever reads it reads all", func(t *testing.T, path string) { must(t, os.Chmod(path, 0o644)) }, "chmod 600"},
		"Group":    {"a group is others, too", func(t *testing.T, path string) { must(t, os.Chmod(path, 0o640)) }, "chmod 600"},
		"Folder":   {"a mount of nothing", func(t *testing.T, path string) { must(t, os.Remove(path)); must(t, os.Mkdir(path, 0o700)) }, "it is no file"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "key")
			add(t, path)
			whole, err := os.ReadFile(path)
			must(t, err)
			k := open(t, path)
			text, id := encrypt(t, k)
			tc.change(t, path)
			for range 2 { // the second time, too
				_, _, err = k.Encrypt(t.Context(), []byte(planted))
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
				}
			}
			if strings.Contains(err.Error(), secret[:30]) || strings.Contains(err.Error(), planted) {
				t.Errorf("the error tells the key: %v", err)
			}
			decrypt(t, k, text, id)
			if _, err := Open(path); err == nil {
				t.Errorf("%s, and it can be opened", tc.reason)
			}
			must(t, os.RemoveAll(path))
			write(t, path, string(whole))
			if _, again := encrypt(t, k); again != id {
				t.Errorf("repaired, it encrypts with %s", again)
			}
		})
	}
}

func TestRepairedRights(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	add(t, path)
	k := open(t, path)
	must(t, os.Chmod(path, 0o644))
	if _, _, err := k.Encrypt(t.Context(), []byte(planted)); err == nil {
		t.Error("others can read it")
	}
	must(t, os.Chmod(path, 0o600))
	encrypt(t, k)
}

func TestWhatWasNotEncryptedHere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "key")
	id := add(t, path)
	k := open(t, path)
	text, _ := encrypt(t, k)
	text[len(text)-1] ^= 1
	for reason, tried := range map[string][]byte{"one bit is another": text, "this is no text of age": []byte("text")} {
		if _, err := k.Decrypt(t.Context(), tried, id); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: got %v", reason, err)
		}
	}
}

func TestAddKeepsWhatIsNoKeyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes")
	write(t, path, "notes\n")
	if _, err := Add(path, time.Now()); err == nil {
		t.Error("a key was put into a file that has none")
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "notes\n" {
		t.Errorf("the file has %q now, %v", text, err)
	}
	link := filepath.Join(t.TempDir(), "link")
	file := filepath.Join(t.TempDir(), "key")
	add(t, file)
	must(t, os.Symlink(file, link))
	id := add(t, link)
	if _, got := encrypt(t, open(t, file)); got != id {
		t.Error("a link was replaced, and not the file")
	}
}

// TestAddKeepsOwner: a key that root adds is one for the user whose the file is.
func TestAddKeepsOwner(t *testing.T) {
	owner := os.Geteuid()
	if owner == 0 { // nobody else can give files away
		owner = 1234
	}
	path := filepath.Join(t.TempDir(), "key")
	add(t, path)
	must(t, os.Chown(path, owner, -1))
	add(t, path)
	info, err := os.Stat(path)
	must(t, err)
	if got := ofSystem(info); int(got.Uid) != owner || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is of the user %d, and was of %d; its mode is %v", got.Uid, owner, info.Mode())
	}
}

// TestAddThroughLinkToNothing: the keys may be on a medium that is not mounted yet, and a file in the place of the link
// would hide them.
func TestAddThroughLinkToNothing(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(folder, "link")
	must(t, os.Symlink(filepath.Join(folder, "away"), link))
	if _, err := Add(link, time.Now()); err == nil || !strings.Contains(err.Error(), "a link to what is not there") {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) != 1 || left[0].Type()&os.ModeSymlink == 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
}

func add(t *testing.T, path string) string {
	t.Helper()
	id, err := Add(path, time.Unix(0, 0))
	must(t, err)
	return id
}

func open(t *testing.T, path string) *Key {
	t.Helper()
	k, err := Open(path)
	must(t, err)
	return k
}

func encrypt(t *testing.T, k *Key) (text []byte, id string) {
	t.Helper()
	text, id, err := k.Encrypt(context.WithoutCancel(t.Context()), []byte(planted))
	must(t, err)
	return text, id
}

func decrypt(t *testing.T, k *Key, text []byte, id string) {
	t.Helper()
	plain, err := k.Decrypt(t.Context(), text, id)
	if err != nil || string(plain) != planted {
		t.Errorf("what %s encrypted is decrypted to %q, %v", id, plain, err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestKeysAddedAtATime: none of them is lost, whoever read the file first.
func TestKeysAddedAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kms.key")
	var all sync.WaitGroup
	ids := make([]string, 8)
	for i := range ids {
		all.Go(func() {
			var err error
			if ids[i], err = Add(path, time.Unix(0, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if !strings.Contains(string(text), "# public key: "+id+"\n") {
			t.Errorf("the key %s is lost", id)
		}
	}
}

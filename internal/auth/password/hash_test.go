package password_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"github.com/causeway-gitops/causeway/internal/auth/password"
)

// Vectors that other implementations publish.
const (
	argonOfPassword = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	bcryptOfUStarU  = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"
)

func TestNew(t *testing.T) {
	first, err := password.New("open sesame")
	if err != nil {
		t.Fatal(err)
	}
	second, err := password.New("open sesame")
	if err != nil {
		t.Fatal(err)
	}
	if first.Text() == second.Text() {
		t.Error("two hashes of one password share a salt")
	}
	read, err := password.Parse(first.Text())
	if err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]password.Hash{"as made": first, "as read": read} {
		if !h.Verify("open sesame") || h.Verify("open sesame ") || h.Verify("") || h.IsZero() {
			t.Errorf("the hash %s takes another password, or not its own", name)
		}
	}
	for _, bad := range []string{"", strings.Repeat("x", 1025)} {
		if _, err := password.New(bad); err == nil {
			t.Errorf("a password of %d bytes is hashed", len(bad))
		}
	}
}

func TestVerify(t *testing.T) {
	cases := map[string]struct {
		reason, hash, password string
		want                   bool
	}{
		"Argon":        {"a hash of another program", argonOfPassword, "password", true},
		"ArgonWrong":   {"and no other password", argonOfPassword, "Password", false},
		"Bcrypt":       {"what argocd-secret holds", bcryptOfUStarU, "U*U", true},
		"BcryptWrong":  {"and no other password", bcryptOfUStarU, "U*V", false},
		"BcryptY":      {"what htpasswd writes", strings.Replace(bcryptOfUStarU, "$2a$", "$2y$", 1), "U*U", true},
		"Empty":        {"nobody signs in without a password", bcryptOfUStarU, "", false},
		"LongerThanIt": {"no password is longer than what is hashed", bcryptOfUStarU, strings.Repeat("x", 5000), false},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			h, err := password.Parse(tc.hash)
			if err != nil {
				t.Fatal(err)
			}
			if got := h.Verify(tc.password); got != tc.want {
				t.Errorf("%s: got %v", tc.reason, got)
			}
		})
	}
}

func TestHashOfNobody(t *testing.T) {
	var nobody password.Hash
	if nobody.Verify("x") || nobody.Verify("") || !nobody.IsZero() || nobody.Text() != "" {
		t.Error("nobody has a password")
	}
}

func TestParseRefuses(t *testing.T) {
	const rest = "$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	costly, err := bcrypt.GenerateFromPassword([]byte("x"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	cases := map[string]struct{ reason, hash, want string }{
		"Empty":     {"nothing", "", "no hash of argon2id or bcrypt"},
		"Plain":     {"a password itself", "hunter2", "no hash of argon2id or bcrypt"},
		"Other":     {"another algorithm", "$argon2i$v=19$m=65536,t=2,p=1" + rest, "no hash of argon2id or bcrypt"},
		"Version":   {"an old version", "$argon2id$v=16$m=65536,t=2,p=1" + rest, "form"},
		"Memory":    {"memory of gigabytes", "$argon2id$v=19$m=4194304,t=2,p=1" + rest, "memory for argon2id is 4194304, and may be 65536"},
		"Passes":    {"hours of passes", "$argon2id$v=19$m=65536,t=4000000,p=1" + rest, "number of passes"},
		"Threads":   {"many threads", "$argon2id$v=19$m=65536,t=2,p=255" + rest, "number of threads"},
		"NoPasses":  {"no pass at all", "$argon2id$v=19$m=65536,t=0,p=1" + rest, "form"},
		"NoThreads": {"no thread at all", "$argon2id$v=19$m=65536,t=1,p=0" + rest, "form"},
		"Negative":  {"less than nothing", "$argon2id$v=19$m=-1,t=1,p=1" + rest, "form"},
		"Order":     {"costs in another order", "$argon2id$v=19$t=2,m=65536,p=1" + rest, "form"},
		"Missing":   {"costs that are not there", "$argon2id$v=19$m=65536,t=2" + rest, "form"},
		"Salt":      {"a salt of three bytes", "$argon2id$v=19$m=65536,t=2,p=1$c29t$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc", "8 to 64 bytes"},
		"Sum":       {"a sum that anything may equal", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$", "8 to 64 bytes"},
		"Encoding":  {"what is no base64", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$===", "form"},
		"Long":      {"more than a hash has", "$argon2id$v=19$m=65536,t=2,p=1" + rest + strings.Repeat("A", 300), "form"},
		"Cost":      {"days of bcrypt", strings.Replace(string(costly), "$04$", "$31$", 1), "cost for bcrypt is 31"},
		"Cut":       {"half of bcrypt", string(costly[:40]), "60 characters"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := password.Parse(tc.hash)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("%s: got %v, want %q", tc.reason, err, tc.want)
			}
			if strings.Contains(err.Error(), "CTFhFdXP") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error tells the hash: %v", err)
			}
		})
	}
}

// A hash stays out of whatever prints values.
func TestHashIsNotTold(t *testing.T) {
	h, err := password.Parse(argonOfPassword)
	if err != nil {
		t.Fatal(err)
	}
	type account struct {
		Open   password.Hash
		hidden password.Hash
	}
	a := account{h, h}
	text, err := json.Marshal(map[string]any{"a": a, "h": h})
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	slog.New(slog.NewTextHandler(&logged, nil)).Info("x", "h", h, "a", a)
	told := []string{string(text), logged.String(), h.String(), fmt.Sprint(h, a, &a), fmt.Sprintf("%#v %+v %q %#v", h, a, h, a)}
	for _, text := range told {
		if strings.Contains(text, "argon") || strings.Contains(text, "CTFh") {
			t.Errorf("told: %s", text)
		}
	}
}

func TestGenerate(t *testing.T) {
	form := regexp.MustCompile(`^[a-z2-7]{5}(-[a-z2-7]{5}){4}$`)
	seen := map[string]bool{}
	for range 100 {
		p := password.Generate()
		if !form.MatchString(p) || seen[p] {
			t.Fatalf("%q is no password, or was made before", p)
		}
		seen[p] = true
	}
}

// More at once than there are turns all get theirs.
func TestVerifyAtOnce(t *testing.T) {
	h, err := password.Parse(bcryptOfUStarU)
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if !h.Verify("U*U") {
				t.Error("a password is refused because others are verified")
			}
		})
	}
	wait.Wait()
}

func FuzzParse(f *testing.F) {
	f.Add(argonOfPassword, "password")
	f.Add(bcryptOfUStarU, "U*U")
	f.Add("$argon2id$v=19$m=1,t=1,p=16$AAAAAAAAAAA$AAAAAAAAAAA", "")
	f.Fuzz(func(t *testing.T, text, secret string) {
		h, err := password.Parse(text)
		if err != nil {
			return
		}
		if h.Text() != text {
			t.Errorf("%q is kept as %q", text, h.Text())
		}
		h.Verify(secret)
	})
}

// Who reads bcrypt alone reads what takes the place of bcrypt.
func TestRenewedInTheSameWay(t *testing.T) {
	old, err := password.Parse("$2a$10$7EqJtq98hPqEX7fNZaFWoOhi5BvRAt7Oh1CKB0Q5GFrv8wYl5u0fS")
	if err != nil {
		t.Fatal(err)
	}
	for was, start := range map[*password.Hash]string{{}: "$argon2id$", &old: "$2a$10$"} {
		now, err := was.Renew("another one")
		if err != nil || !strings.HasPrefix(now.Text(), start) || !now.Verify("another one") || now.Verify("another") {
			t.Errorf("%s: %v", start, err)
		}
	}
	if _, err := old.Renew(strings.Repeat("x", 73)); err == nil {
		t.Error("a password is cut off")
	}
	if _, err := old.Renew(""); err == nil {
		t.Error("none is taken for a password")
	}
}

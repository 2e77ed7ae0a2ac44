package redact

import "testing"

func TestWhatGitSays(t *testing.T) {
	for name, c := range map[string]struct{ reason, said, want string }{
		"Plain":    {"it is told as it is", "error: failed to push some refs to '/srv/fleet.git'", "error: failed to push some refs to '/srv/fleet.git'"},
		"Password": {"a password is left out", "fatal: cannot use 'https://me:hunter2@h/x/': no", "fatal: cannot use 'https://h/x/': no"},
		"Odd":      {"wherever it ends", "fatal: unable to access 'https://me:hun/ter2@h/x/': no", "fatal: unable to access '…@h/x/': no"},
		"Token":    {"a user may be a token", "fatal: cannot use https://hunter2@h/x", "fatal: cannot use https://h/x"},
		"Query":    {"and so may a query", "fatal: unable to access 'https://h/x?t=hunter2/': no", "fatal: unable to access 'https://h/x no"},
		"Host":     {"a host may be told alone", "fatal: unable to look up me:hunter2@h:1 (port 9418)", "fatal: unable to look up …@h:1 (port 9418)"},
		"SSH":      {"ssh needs its user", "fatal: ssh://git@h/x and git@h:x", "fatal: ssh://git@h/x and git@h:x"},
		"Denied":   {"whom it names", "git@h: Permission denied (publickey).", "git@h: Permission denied (publickey)."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Addresses(c.said); got != c.want {
				t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
			}
		})
	}
}

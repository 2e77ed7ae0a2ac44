package render

import "time"

// SetRemotePatience changes how long a kept rendering waits for remotes.
func SetRemotePatience(d time.Duration) (restore func()) {
	before := remotePatience
	remotePatience = d
	return func() { remotePatience = before }
}

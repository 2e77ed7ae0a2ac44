// Package appcache reads Applications and ApplicationSets of the hub from the shared cache, and never an older Application
// than this process has written itself.
package appcache

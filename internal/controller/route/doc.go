// Package route passes what parts of the engine learn, such as a new commit, a changed
// live object or an edited project, to the controllers of the Applications and
// ApplicationSets that it concerns, and to no others. It says whose work on one is, how
// many looks strangers may cause, and which events of the hub are no news.
//
// It reads the caches alone, changes nothing, and does not know what a look does: that is
// for the controllers. They are woken through the bells of internal/controller/wake.
package route

import Foundation

/// Prints lines at once, also into a pipe that somebody waits at.
public func show(_ lines: [String]) {
    for line in lines { print(line) }
    fflush(nil)
}

public func show(_ line: String) { show([line]) }

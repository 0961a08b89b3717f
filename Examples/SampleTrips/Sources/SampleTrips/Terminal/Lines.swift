import Foundation

/// Prints lines without buffering, because another process may wait for them at a pipe.
public func show(_ lines: [String]) {
    for line in lines { print(line) }
    fflush(nil)
}

public func show(_ line: String) { show([line]) }

"""The figures of reports for papers, by matplotlib."""

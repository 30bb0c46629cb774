"""Texts rewritten before they are asked about: does a model know the very words, or the way somebody writes?"""
